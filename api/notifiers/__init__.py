"""Ways that hints travel. Choose one by `api.notifier.make_notifier`."""
