# frozen_string_literal: true

# With BUNRAKU_GC=stress, each allocation collects young objects while code is compiled or data is looked up.
# With BUNRAKU_GC=compact, all garbage is collected and objects are moved whenever the library calls Ruby or
# Ruby calls the library. The work of Ruby alone (reading the files of modules) is excluded: it would take
# hours and show nothing.
module Stress
  # Minor collections only: with major ones an example takes minutes.
  YOUNG = 1

  # Done under stress.
  module On
    %i[compile lookup explain].each do |name|
      define_method(name) { |*arguments, **options, &block| Stress.set(YOUNG) { super(*arguments, **options, &block) } }
    end
  end

  # Done without.
  module Off
    def initialize(*)
      Stress.set(false) { super }
    end

    %i[evaluate require load legacy_function function resource_type].each do |name|
      define_method(name) { |*arguments, &block| Stress.set(false) { super(*arguments, &block) } }
    end
  end

  # Moves objects before and after a method.
  def self.moving(*names)
    Module.new do
      names.each do |name|
        define_method(name) do |*arguments, &block|
          GC.compact
          super(*arguments, &block).tap { GC.compact }
        end
      end
    end
  end

  # @yield with stress or without, in this thread and all others
  def self.set(stress)
    before = GC.stress
    GC.stress = stress
    yield
  ensure
    GC.stress = before
  end

  def self.begin(mode)
    require 'bunraku/registry'
    case mode
    when 'stress'
      Bunraku::Environment.prepend(On)
      Bunraku::Registry.prepend(Off)
    when 'compact'
      Bunraku::Registry.prepend(moving(:function, :resource_type, :render_template, :make_type, :make_sensitive, :meaning_of, :raised))
      [Bunraku::Registry::ModernFunction, Bunraku::Registry::LegacyFunction].each { |function| function.prepend(moving(:invoke)) }
      Bunraku::Host.prepend(moving(:find_function))
      Bunraku::Call.prepend(moving(:yield, :call_function, :call_from_top, :call_member, :variable, :parse_type, :native_resource))
    end
  end
end

if %w[stress compact].include?(ENV['BUNRAKU_GC'])
  Stress.begin(ENV['BUNRAKU_GC'])
  # The examples that measure time, and those that test what a Ractor may call.
  RSpec.configure { |config| config.filter_run_excluding(unstressed: true) }
end
