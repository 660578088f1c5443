# A small stand-in for hooker's language: what each policies.rb of a list makes of its words, as JSON; null where it fails.
require "json"

class Words
  attr_reader :data

  def initialize(name)
    @data = { name: name.to_s, event: nil, tool: nil, match: nil, matchField: nil, when: nil, action: nil }
  end

  def on(event, tool: nil, match: nil, match_field: nil, file: nil)
    @data[:event] = event.to_s
    @data[:tool] = tool && "\\A(?:#{tool})\\z"
    if file
      @data[:match] = file.is_a?(Regexp) ? file.source : "(?:\\A|/)#{Regexp.escape(file)}\\z"
      @data[:matchField] = "file_path"
    elsif match
      match = ":#{match}" if match.is_a?(Symbol)
      @data[:match] = match.is_a?(Regexp) ? match.source : match
      @data[:matchField] = match_field && match_field.to_s
    end
  end

  def gate(message = nil)
    @data[:action] = { kind: "gate", message: message }
  end

  def transform(context: nil, prompt: nil, field: nil, model: nil, command: nil)
    @data[:action] = { kind: "transform", context: Array(context).flatten, prompt: prompt, field: field&.to_s, model: model, command: command }
  end

  def inject(*files, command: nil)
    @data[:action] = { kind: "inject", files: files.flatten, command: command }
  end

  def when_prompt(condition, model: nil)
    @data[:when] = { condition: condition, model: model }
  end
end

class Loader
  attr_reader :policies

  def initialize
    @policies = []
  end

  def policy(name, &block)
    raise ArgumentError, "no block" unless block
    words = Words.new(name)
    words.instance_eval(&block)
    @policies << words.data
  end
end

output = $stdout.dup
$stdout.reopen(File::NULL)
$stderr.reopen(File::NULL)
request = JSON.parse($stdin.read)
answer =
  if request["sources"]
    request["sources"].map do |source|
      loader = Loader.new
      begin
        loader.instance_eval(source, "policies.rb")
        JSON.generate(loader.policies)
        loader.policies
      rescue Exception
        nil
      end
    end
  else
    request["patterns"].map do |pattern|
      begin
        regexp = Regexp.new(pattern)
        request["subjects"].map { |subject| regexp.match?(subject) }
      rescue RegexpError
        nil
      end
    end
  end
output.puts JSON.generate(answer)
