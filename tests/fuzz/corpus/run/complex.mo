operator record C
  Real re, im;
  operator 'constructor'
    function make
      input Real re = 0;
      input Real im = 0;
      output C c(re = re, im = im);
    algorithm
    end make;
  end 'constructor';
  operator '*'
    function times
      input C a, b;
      output C c = C(a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re);
    algorithm
    end times;
  end '*';
end C;
model Spin
  C a = C(cos(time), sin(time)), b = a*a;
end Spin;
