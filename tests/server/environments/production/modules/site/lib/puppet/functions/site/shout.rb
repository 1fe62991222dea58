# Says a text loudly.
Puppet::Functions.create_function(:'site::shout') do
  dispatch :shout do
    param 'String', :text
  end

  def shout(text)
    "#{text.upcase}!"
  end
end
