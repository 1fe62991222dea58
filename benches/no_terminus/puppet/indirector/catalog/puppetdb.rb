# frozen_string_literal: true

# Replaces PuppetDB's terminus if that is not installed: benches write no catalogs for PuppetDB.
