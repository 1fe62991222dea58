# frozen_string_literal: true

require 'fileutils'
require 'json'
require 'open3'
require 'tmpdir'

require_relative 'pages'

# `make test-docs` runs this with the installed library and command; `BLESS=1` writes what the blocks answer
# now.
RSpec.describe 'the documentation' do # rubocop:disable RSpec/DescribeClass
  Pages.all.each do |path|
    it "says what happens in #{path.delete_prefix("#{Pages::ROOT}/")}" do
      now = Pages::Run.new(path).text
      File.write(path, now) if ENV['BLESS']
      expect(now).to eq(File.read(path, encoding: Encoding::UTF_8))
    end
  end
end
