"""WIS monitoring: the messages that each GISC gives about itself and the others (`monitor.json`, `centres.json`), and their history."""
