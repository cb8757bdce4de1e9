use super::*;
use proptest::prelude::*;

#[test]
fn datelines() {
    let check = |text: &str, expect: &[&str]| assert_eq!(dateline(text), expect, "{text}");
    check("LONDON (Reuters) - The plant opened.", &["Reuters"]);
    check("LONDON, Nov 20 (Reuters) – The plant opened.", &["Reuters"]);
    check("NEW YORK (AP) — The plant opened.", &["AP"]);
    check("NEW YORK (AP) The plant opened.", &["AP"]);
    check("München (dpa/lby) - Es öffnete.", &["dpa"]);
    check("Berlin (dpa/AFP) - Es öffnete.", &["dpa", "AFP"]);
    check("(ANSA) - ROMA, 20 NOV - La fabbrica apre.", &["ANSA"]);
    check("Madrid, 20 nov (EFE).- La planta abre.", &["EFE"]);
    check("МОСКВА, 20 ноября. /ТАСС/. Завод открылся.", &["TASS"]);
    check("МОСКВА, 20 ноя — РИА Новости. Завод открылся.", &["RIA Novosti"]);
    check("新华社北京11月20日电（记者王小明）工厂开业。", &["Xinhua"]);
    check("【東京共同】工場が開いた。", &["Kyodo"]);
    check("(서울=연합뉴스) 공장이 열렸다.", &["Yonhap"]);
    check("AFP - The plant opened.", &["AFP"]);
    check("Киев, Январь 04 (Новый Регион, Анна Арчер) – Завод открылся.", &["Novy Region"]);
    check("Москва. 4 января. INTERFAX.RU - Завод открылся.", &["Interfax"]);
    check("Berlin/dpa. Es öffnete.", &["dpa"]);
    check("Berlin. (dpa) Es öffnete.", &["dpa"]);
    check("Rivertown, Nov 20 (PTI) The plant opened.", &["PTI"]);
    check("New York. (AP) The plant opened.", &["AP"]);
    check("In May 2019 the board (Reuters) closed it.", &[]);
    check("On May 5 Rivertown (AP) closed it for good.", &[]);
    check("Mayor Jan. (AFP) closed it.", &[]);
    check("The company told Reuters (and others) - it opens.", &[]);
    check("The plant opened, Reuters said on Friday.", &[]);
    check("Reuters opened a plant.", &[]);
    check("据新华社报道，工厂开业。", &[]);
    check("Shares (AP) rose and fell for many people who had long held on to them.", &[]);
    check("", &[]);
}

#[test]
fn lines_of_their_own() {
    let check = |text: &str, expect: &[&str]| assert_eq!(alone(text), expect, "{text}");
    check("The Associated Press Thursday, January 17, 2008; 8:43 AM", &["AP"]);
    check("AFP, MANILA", &["AFP"]);
    check("PAP, marga", &["PAP"]);
    check("dpa und AFP", &["dpa", "AFP"]);
    check("Weather with Reuters", &[]);
    check("health.example, ΑΠΕ", &["ANA-MPA"]);
    check("Autor: PAP | 03-01-2012 12:05", &["PAP"]);
    check("Author : DPA", &["dpa"]);
    check("© KYODO", &["Kyodo"]);
    check("CanWest News Service; with files from Reuters", &["Postmedia News", "Reuters"]);
    check("/PAP/EPA", &[]);
    check("abc/de (Reuters, AP)", &["Reuters", "AP"]);
    check("all in one, pap and more", &[]);
    check("map, news", &[]);
    check("Reuters and what it means for you", &[]);
    check("Business with Reuters, Sports, Weather", &[]);
    check("January 17, 2008", &[]);
    let check = |text: &str, expect: &[&str]| assert_eq!(signed(text), expect, "{text}");
    check("By SUMETH ARCHER, Associated Press Writer 1 hour, 40 minutes ago", &["AP"]);
    check("Bystanders told AP", &[]);
    check("Door ANP", &["ANP"]);
    check("Door Ann Archer en ANP", &["ANP"]);
    check("Door ANP en Ann Archer", &["ANP"]);
    check("Av NTB", &["NTB"]);
    check("Af Ann Archer og Ritzau", &["Ritzau"]);
    check("Oleh Antara", &["Antara"]);
    check("Penulis: Ann Archer, Antara", &["Antara"]);
    check("Autorka: Ann Archer, ČTK", &["ČTK"]);
    check("От ТАСС", &["TASS"]);
    check("Av de skadade vårdas flera, uppger polisen för TT på fredagen", &[]);
    check("Tekst over Reuters", &[]);
}

#[test]
fn bylines_and_notes() {
    let check = |text: &str, expect: &[&str]| assert_eq!(byline(text), expect, "{text}");
    check("By Ann Archer, Associated Press", &["AP"]);
    check("By ANN ARCHER Associated Press Writer", &["AP"]);
    check("By The Associated Press", &["AP"]);
    check("dpa/AFP", &["dpa", "AFP"]);
    check("Ann Archer (Reuters)", &["Reuters"]);
    check("By JAMES ARCHER, AP Business Writer Fri Dec 28, 6:46 AM ET", &["AP"]);
    check("By: Ann Archer, THE CANADIAN PRESS", &["The Canadian Press"]);
    check("By ANN ARCHER AP Sports Writer", &["AP"]);
    check("Ann Archer AP Business Writer Dec. 31, 2026 11:14 AM", &["AP"]);
    check("By Ann Archer and AFP", &["AFP"]);
    check("Von Anna Muster mit Material von dpa und AFP", &["dpa", "AFP"]);
    check("Ann Archer, AFP and The Associated Press", &["AFP", "AP"]);
    check("BY ANN ARCHER AND REUTERS", &["Reuters"]);
    check("Le Monde avec AFP", &["AFP"]);
    check("María López y EFE", &["EFE"]);
    check("Mario Rossi e ANSA", &["ANSA"]);
    check("di Redazione ANSA", &["ANSA"]);
    check("Staff and Reuters in Rivertown", &["Reuters"]);
    check("By our correspondent with PTI inputs", &["PTI"]);
    check("PTI Desk", &["PTI"]);
    check("Diarios y Noticias", &["DyN"]);
    check("القاهرة - رويترز", &["Reuters"]);
    check("By Ann and Michael Bloomberg", &[]);
    check("By Ann Archer in MENA", &[]);
    check("Ann Archer and wires", &[]);
    check("Von Petra und Beta Muster", &[]);
    check("By Ann AP Archer", &[]);
    check("By Michael Bloomberg", &[]);
    check("By Ani Archer", &[]);
    check("Mehr", &[]);
    check("Von Petra", &[]);
    check("Photo: AP", &[]);
    let check = |text: &str, expect: &[&str]| assert_eq!(note(text), expect, "{text}");
    check("The Associated Press contributed to this report.", &["AP"]);
    check("AP writer Ann Archer contributed to this report.", &["AP"]);
    check("Mit Material der dpa", &["dpa"]);
    check("With files from The Associated Press and Ann Archer", &["AP"]);
    check("Quelle: dpa/sda", &["dpa", "Keystone-SDA"]);
    check("(Reporting by Ann Archer; Editing by Ben Wright)", &["Reuters"]);
    check("(Writing by Ann Archer; Editing by Ben Wright)", &["Reuters"]);
    check("Writing by Ann Archer", &[]);
    check("©All rights reserved, news from Canadian Press", &["The Canadian Press"]);
    check("Πηγή: ΑΠΕ", &["ANA-MPA"]);
    check("Published: 9:58 AM Thursday January 12, 2012 Source: Reuters", &["Reuters"]);
    check("Published: 9:58 AM Source: the ministry, Reuters", &[]);
    check("Sources: the ministry, Reuters and others", &["Reuters"]);
    check("Źródło informacji: IAR/PAP", &["IAR", "PAP"]);
    check("Copyright 2026 The Associated Press. All rights reserved.", &["AP"]);
    check("This text was not edited by us and is published from a PTI feed.", &["PTI"]);
    check("This article was first published by Reuters.", &["Reuters"]);
    check("AP writer Ben Baker contributed.", &["AP"]);
    check("The figures that Reuters first published by mistake were wrong.", &[]);
    check("Reuters wrote that the plant opens.", &[]);
    let check = |text: &str, expect: &[&str]| assert_eq!(closing(text), expect, "{text}");
    check("It opened on Friday. (PTI)", &["PTI"]);
    check("It opened on Friday. AFP", &["AFP"]);
    check("It opened on Friday. – Reuters", &["Reuters"]);
    check("It opened on Friday, says AFP", &[]);
    check("He spoke to Reuters.", &[]);
    check("dpa", &["dpa"]);
    check("eb, pap", &["PAP"]);
    check("It opened on Friday. (anm/dpa)", &["dpa"]);
    check("It opened on Friday. (dpa und AFP)", &["dpa", "AFP"]);
    check("It opened on Friday. (see there, AP)", &[]);
    check("［時事通信社］", &["Jiji"]);
    check("jk, aa", &[]);
    check("Beta", &[]);
    check("Dow Jones", &[]);
    check("map", &[]);
}

proptest! {
    #[test]
    fn never_panics(text in "[A-Za-z()/ .,:—（）新华社電电/ТАСС\\-]{0,140}") {
        for read in [byline, alone, dateline, closing, note] {
            read(&text);
        }
    }
}
