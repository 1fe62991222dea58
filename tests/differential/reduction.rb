# frozen_string_literal: true

# Makes a question smaller as long as the answers differ in the same members: texts lose pieces, large ones
# first.
class Reduction
  # The maximum number of questions of one reduction, and of seconds: pieces of a program may run for ever.
  MOST = 200
  SECONDS = 60

  # The block takes questions and returns for each where its answers differ (nil if they agree).
  def initialize(question, difference, &ask)
    @question = question
    @difference = difference
    @ask = ask
    @asked = 0
    @until = Process.clock_gettime(Process::CLOCK_MONOTONIC) + SECONDS
  end

  def smallest
    loop do
      before = @question
      places.each { |place| shrink(place) }
      return @question if @question == before || over?
    end
  end

  private

  def over?
    @asked >= MOST || Process.clock_gettime(Process::CLOCK_MONOTONIC) > @until
  end

  # Returns the places of a question's texts.
  def places
    texts = @question.key?('source') ? [['source']] : []
    texts + (@question['files'] || {}).keys.reject { |path| path.end_with?('metadata.json') }.map { |path| ['files', path] }
  end

  def shrink(place)
    [/(?<=\n)/, /(?<=[,;{}()\[\] |])|(?=[,;{}()\[\] |])/, /(?<=.)/m].each do |border|
      pieces = @question.dig(*place).split(border)
      size = pieces.size / 2
      while size.positive? && !over?
        pieces = without(place, pieces, size)
        size /= 2
      end
    end
  end

  # Leaves out runs of pieces of a size where the answers still differ.
  def without(place, pieces, size)
    starts = (0...pieces.size).step(size).to_a
    until starts.empty? || over?
      tried = starts.map { |start| pieces[0, start] + pieces[(start + size)..].to_a }.reject(&:empty?)
      questions = tried.map { |left| replaced(place, left.join) }
      break if questions.empty?

      @asked += questions.size
      found = @ask.call(questions).index(@difference)
      break unless found

      pieces = tried[found]
      @question = questions[found]
      starts = (0...pieces.size).step(size).to_a
    end
    pieces
  end

  def replaced(place, text)
    made = Marshal.load(Marshal.dump(@question))
    place[0..-2].inject(made) { |at, key| at[key] }[place.last] = text
    made
  end
end
