module Singleton
  def self.included(base)
    super
    base.private_class_method(:new, :allocate)
    base.extend(Class)
  end

  module Class
    def instance
      @singleton__instance__ ||= new
    end
  end

  def clone
    raise TypeError, "can't clone instance of singleton #{self.class}"
  end

  def dup
    raise TypeError, "can't dup instance of singleton #{self.class}"
  end
end
