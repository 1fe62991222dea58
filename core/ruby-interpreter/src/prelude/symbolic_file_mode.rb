# frozen_string_literal: true

module Puppet
  module Util
    # Modes of files, as digits or as changes: `u+rwx,go=r`. The built-in Ruby and the gem share this text.
    module SymbolicFileMode
      # The shift of the bits of each class of users, and the bit that `s` sets for it.
      BUNRAKU_CLASSES = { 'u' => [6, 0o4000], 'g' => [3, 0o2000], 'o' => [0, 0o1000] }.freeze

      def valid_symbolic_mode?(value)
        case normalize_symbolic_mode(value)
        when nil then false
        when /^0?[0-7]{1,4}$/, /^([ugoa]*[-=+][-=+rstwxXugo]*)(,[ugoa]*[-=+][-=+rstwxXugo]*)*$/ then true
        else false
        end
      end

      def display_mode(value)
        value.to_s.match?(/^0?[0-7]{1,4}$/) ? value.rjust(4, '0') : value
      end

      def normalize_symbolic_mode(value)
        case value
        when nil then nil
        when Numeric then value.to_s(8)
        when /^0?[0-7]{1,4}$/ then value.to_i(8).to_s(8)
        else value
        end
      end

      def symbolic_mode_to_int(modification, to_mode = 0, is_a_directory = false)
        raise Puppet::Error, 'An empty mode string is illegal' if modification.nil? || modification == ''
        return modification.to_i(8) if modification.match?(/^[0-7]+$/)
        raise Puppet::Error, 'Numeric modes must be in octal, not decimal!' if modification.match?(/^\d+$/)
        raise "non-numeric current mode (#{to_mode.inspect})" unless to_mode.is_a?(Numeric)

        searchable = is_a_directory || (to_mode & 0o111) != 0
        modification.split(/\s*,\s*/).reduce(to_mode & 0o7777) do |mode, clause|
          bunraku_after_clause(mode, clause, searchable)
        rescue Puppet::Error => e
          place = clause == modification ? '' : " at #{clause.inspect}"
          raise Puppet::Error, "#{e.message}#{place} in symbolic mode #{modification.inspect}"
        end
      end

      private

      # The mode after one clause: `u+x`, `g=r`.
      def bunraku_after_clause(mode, clause, searchable)
        found = /^([ugoa]*)([-+=].*)$/.match(clause)
        raise Puppet::Error, 'Missing action' unless found

        whose = found[1].empty? ? 'ugo' : found[1].gsub('a', 'ugo')
        whose.chars.uniq.reduce(mode) do |changed, user|
          bunraku_after_changes(changed, user, found[2]) do |letter, action|
            bunraku_bits(letter, action, user, mode, searchable)
          end
        end
      end

      # The mode after the changes of one class of users; the block returns the bits of a letter.
      def bunraku_after_changes(mode, user, changes)
        action = nil
        changes.each_char do |letter|
          if '-+='.include?(letter)
            action = letter
            mode &= ~(7 << BUNRAKU_CLASSES[user][0]) if letter == '='
          else
            bits = yield(letter, action)
            mode = action == '-' ? mode & ~bits : mode | bits
          end
        end
        mode
      end

      # The bits of a letter in a change of a class of users. The bits of other classes are those before the
      # clause.
      def bunraku_bits(letter, action, user, before, searchable)
        shift, special = BUNRAKU_CLASSES[user]
        case letter
        when 'r' then 4 << shift
        when 'w' then 2 << shift
        when 'x' then 1 << shift
        when 'u', 'g', 'o' then ((before >> BUNRAKU_CLASSES[letter][0]) & 7) << shift
        when 's' then special
        when 't' then 0o1000
        when 'X'
          raise Puppet::Error, "X only works with the '+' operator" unless action == '+'

          searchable ? 1 << shift : 0
        else raise Puppet::Error, 'Unknown operation'
        end
      end
    end
  end
end
