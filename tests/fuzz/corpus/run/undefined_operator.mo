operator record C
  Real re, im;
  operator 'constructor'
    function make
      input Real re = 10000;
      input Real im = 0;
      output C c(re = re, im = im);
    algorithm
    end make;
  end 'constructor';
  operator '*'
    function times
      input C a, b;
      output C c = C(div(a.re*b.re, 0) - a.im*b.im, a.re*b.im + a.im*b.re);
    algorithm
    end times;
  end '*';
end C;
model Spin
  C a = b, b = a*a;
end Spin;
