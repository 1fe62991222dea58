# frozen_string_literal: true

# Stands in for PuppetDB's terminus where that is not installed: benches write no catalogs for PuppetDB.
