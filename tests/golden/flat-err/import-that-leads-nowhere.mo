model M "An import that leads to no class: its name is not offered in place of itself"
  package Q
    import SI = Nowhere.Units;
    model A
      SI.Length x = 1;
      SI.Mass m = 1;
    end A;
  end Q;
  Q.A a;
equation
end M;
