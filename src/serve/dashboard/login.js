// The page for logging in, in the reader's language.

import { dress, t } from "./words.js";

dress();
document.title = `${t("login.title")} · crawler`;
