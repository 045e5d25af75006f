"""How pages for people write dates (FORMAT_MODULE_PATH): a folder for each language, as Django looks for them."""
