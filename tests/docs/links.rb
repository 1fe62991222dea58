# frozen_string_literal: true

# Checks the links of the site: `ruby links.rb DIRECTORY` reads the pages that mdBook wrote. The file of a
# link within the site must exist and, with a `#`, contain its anchor.
site = File.expand_path(ARGV.fetch(0))
pages = Dir.glob("#{site}/**/*.html").reject { |path| path.start_with?("#{site}/api/") || path.end_with?('/print.html', '/404.html') }
anchors = Hash.new { |known, path| known[path] = File.read(path, encoding: 'UTF-8').scan(/\bid="([^"]+)"/).flatten }
links = 0
broken = pages.flat_map do |page|
  File.read(page, encoding: 'UTF-8').scan(/<a [^>]*href="([^"]+)"/).flatten.uniq.reject { |link| link.match?(/\A\w+:/) }.filter_map do |link|
    links += 1
    path, anchor = link.split('#', 2)
    file = path.empty? ? page : File.expand_path(path, File.dirname(page))
    known = File.file?(file) && (anchor.nil? || anchor.empty? || !file.end_with?('.html') || anchors[file].include?(anchor))
    "#{page.delete_prefix("#{site}/")}: #{link}" unless known
  end
end
puts broken, "#{pages.size} pages, #{links} links, #{broken.size} broken"
exit broken.empty?
