// Models as strangers write them: control, converters, reactors, pipes, organisms, machines. bench/auto/strangers.txt
// SPDX-License-Identifier: BSD-3-Clause
package Strangers
  model PidSat "PI controller with saturation and anti-windup on a second-order plant"
    parameter Real kp = 4, ti = 0.8, tt = 0.5, umax = 1.5;
    Real x(start = 0, fixed = true), v(start = 0, fixed = true), i(start = 0, fixed = true), f(start = 0, fixed = true);
    Real r, e, u0, u;
  equation
    r = if time < 1 then 0 else if time < 12 then 1 else 0.3;
    e = r - f;
    u0 = kp*e + i;
    u = min(max(u0, -umax), umax);
    der(i) = kp/ti*e + (u - u0)/tt;
    der(x) = v;
    der(v) = u - 1.2*v - x;
    0.05*der(f) = x - f;
    annotation(experiment(StopTime = 25));
  end PidSat;

  model Buck "Buck converter, PWM at 20 kHz, ideal diode that blocks"
    parameter Real Vin = 24, L = 100e-6, C = 47e-6, R = 4, T = 5e-5, D = 0.45;
    Real il(start = 0, fixed = true, nominal = 5), vc(start = 0, fixed = true, nominal = 10);
    Boolean on(start = true, fixed = true), freewheel(start = false, fixed = true);
    discrete Real t0(start = 0, fixed = true);
  equation
    when sample(0, T) then t0 = time; end when;
    on = time < t0 + D*T;
    freewheel = not on and il > 0;
    L*der(il) = (if on then Vin - vc else if freewheel then -vc - 0.6 else 0);
    C*der(vc) = il - vc/R;
    annotation(experiment(StopTime = 2e-3));
  end Buck;

  model VanDeVusse "Stirred tank with a jacket, four states"
    parameter Real k10 = 1.287e12/3600, k30 = 9.043e9/3600, E1 = 9758.3, E3 = 8560, cin = 5.1, Tin = 378.05, V = 0.01;
    Real ca(start = 2.14, fixed = true), cb(start = 1.09, fixed = true), T(start = 387.3, fixed = true, nominal = 300), Tk(start = 386.1, fixed = true, nominal = 300);
    Real q, k1, k3, Q;
  equation
    q = (14.19 + (if time > 500 then 6 else 0))/3600;
    Q = -1113.5/3600;
    k1 = k10*exp(-E1/T);
    k3 = k30*exp(-E3/T);
    der(ca) = q*(cin - ca) - k1*ca - k3*ca^2;
    der(cb) = -q*cb + k1*ca - k1*cb;
    der(T) = q*(Tin - T) - (4.2*k1*ca - 11*k1*cb - 41.85*k3*ca^2)/(0.9342*3.01) + 4032*0.215/3600/(0.9342*3.01*10)*(Tk - T);
    der(Tk) = (Q + 4032*0.215/3600*(T - Tk))/(5*2);
    annotation(experiment(StopTime = 3000));
  end VanDeVusse;

  model Ignition "Batch reactor that runs away"
    Real a(start = 1, fixed = true), T(start = 300, fixed = true, nominal = 300), b(start = 0, fixed = true);
    Real r, s;
  equation
    r = 1e10*exp(-8500/T)*a;
    s = 1e13*exp(-13000/T)*b;
    der(a) = -r;
    der(b) = r - s;
    der(T) = 180*r + 60*s - 0.02*(T - 310);
    annotation(experiment(StopTime = 400));
  end Ignition;

  model Pipe "Hot water through a pipe with a wall"
    parameter Integer N = 40;
    parameter Real v = 0.5, dx = 1;
    Real T[N](each start = 20, each fixed = true, each nominal = 50), W[N](each start = 20, each fixed = true, each nominal = 50), Tin;
  equation
    Tin = 60 + 15*sin(0.02*time);
    for i in 1:N loop
      der(T[i]) = v/dx*((if i == 1 then Tin else T[i - 1]) - T[i]) + 0.05*(W[i] - T[i]);
      der(W[i]) = 0.2*(T[i] - W[i]) - 0.001*(W[i] - 10);
    end for;
    annotation(experiment(StopTime = 600));
  end Pipe;

  model Hammer "Water hammer: pressure and flow along a pipe, a valve closes"
    parameter Integer N = 30;
    parameter Real c = 1200, L = 300, dx = L/N, f = 0.02, D = 0.2, A = 0.0314;
    Real p[N](each start = 4e5, each fixed = true, each nominal = 1e5), q[N](each start = 0.03, each fixed = true, each nominal = 0.01), o;
  equation
    o = if time < 0.5 then 1 else if time < 1.5 then 1.5 - time else 0;
    for i in 1:N loop
      1000*dx/A*der(q[i]) = (if i == 1 then 4.2e5 else p[i - 1]) - p[i] - f*dx/D*1000/2*q[i]*abs(q[i])/A^2;
      dx*A/(1000*c^2)*1000*der(p[i]) = (q[i] - (if i == N then o*0.0015*sqrt(max(p[N], 10)*1e-3) else q[i + 1]))*1000;
    end for;
    annotation(experiment(StopTime = 4));
  end Hammer;

  model FoodChain "Three species"
    Real x(start = 0.8, fixed = true), y(start = 0.2, fixed = true), z(start = 8, fixed = true);
  equation
    der(x) = x*(1 - x) - 5*x*y/(1 + 3*x);
    der(y) = 5*x*y/(1 + 3*x) - 0.1*y*z/(1 + 2*y) - 0.4*y;
    der(z) = 0.1*y*z/(1 + 2*y) - 0.01*z;
    annotation(experiment(StopTime = 300));
  end FoodChain;

  model Mapk "Kinase cascade with feedback"
    Real m(start = 100, fixed = true, nominal = 100), mp(start = 0, fixed = true, nominal = 100), k(start = 300, fixed = true, nominal = 100), kp(start = 0, fixed = true, nominal = 100), kpp(start = 0, fixed = true, nominal = 100), e(start = 300, fixed = true, nominal = 100), ep(start = 0, fixed = true, nominal = 100), epp(start = 0, fixed = true, nominal = 100);
    Real v[10];
  equation
    v[1] = 2.5*m/((1 + epp/9)*(10 + m));
    v[2] = 0.25*mp/(8 + mp);
    v[3] = 0.025*mp*k/(15 + k);
    v[4] = 0.025*mp*kp/(15 + kp);
    v[5] = 0.75*kpp/(15 + kpp);
    v[6] = 0.75*kp/(15 + kp);
    v[7] = 0.025*kpp*e/(15 + e);
    v[8] = 0.025*kpp*ep/(15 + ep);
    v[9] = 0.5*epp/(15 + epp);
    v[10] = 0.5*ep/(15 + ep);
    der(m) = v[2] - v[1];
    der(mp) = v[1] - v[2];
    der(k) = v[6] - v[3];
    der(kp) = v[3] + v[5] - v[4] - v[6];
    der(kpp) = v[4] - v[5];
    der(e) = v[10] - v[7];
    der(ep) = v[7] + v[9] - v[8] - v[10];
    der(epp) = v[8] - v[9];
    annotation(experiment(StopTime = 9000));
  end Mapk;

  model Binding "Enzyme, substrate, inhibitor: rates from 1e-2 to 1e5"
    Real s(start = 1, fixed = true), e(start = 0.01, fixed = true, nominal = 0.01), c(start = 0, fixed = true, nominal = 0.01), i(start = 0.2, fixed = true), x(start = 0, fixed = true, nominal = 0.01), p(start = 0, fixed = true);
  equation
    der(s) = -1e5*e*s + 2e3*c;
    der(e) = -1e5*e*s + (2e3 + 50)*c - 4e4*e*i + 10*x;
    der(c) = 1e5*e*s - (2e3 + 50)*c;
    der(i) = -4e4*e*i + 10*x - 0.02*i;
    der(x) = 4e4*e*i - 10*x;
    der(p) = 50*c;
    annotation(experiment(StopTime = 60));
  end Binding;

  model Orbit "Kepler, eccentricity 0.85, with oblateness"
    Real x(start = 0.15, fixed = true), y(start = 0, fixed = true), vx(start = 0, fixed = true), vy(start = 3.5118845842842465, fixed = true), r;
  equation
    r = sqrt(x^2 + y^2);
    der(x) = vx;
    der(y) = vy;
    der(vx) = -x/r^3*(1 + 1e-4/r^2);
    der(vy) = -y/r^3*(1 + 1e-4/r^2);
    annotation(experiment(StopTime = 60));
  end Orbit;

  model QuarterCar "Quarter car on bumps with stops"
    Real zs(start = 0, fixed = true, nominal = 0.1), zu(start = 0, fixed = true, nominal = 0.1), vs(start = 0, fixed = true), vu(start = 0, fixed = true), w, d, fs;
  equation
    w = if time > 1 and time < 1.2 then 0.06*sin(3.141592653589793*(time - 1)/0.2)^2 else 0.005*sin(12*time);
    d = zs - zu;
    fs = 18000*d + (if d > 0.05 then 4e5*(d - 0.05) else if d < -0.05 then 4e5*(d + 0.05) else 0);
    der(zs) = vs;
    der(zu) = vu;
    300*der(vs) = -fs - (if vs > vu then 1800 else 900)*(vs - vu);
    40*der(vu) = fs + (if vs > vu then 1800 else 900)*(vs - vu) - 180000*(zu - w);
    annotation(experiment(StopTime = 6));
  end QuarterCar;

  model Radiator "Rod with radiation, 25 cells"
    parameter Integer N = 25;
    Real T[N](each start = 300, each fixed = true, each nominal = 300);
  equation
    for i in 1:N loop
      der(T[i]) = 8*((if i == 1 then 900 else T[i - 1]) - 2*T[i] + (if i == N then T[N] else T[i + 1])) - 2e-10*(T[i]^4 - 300^4);
    end for;
    annotation(experiment(StopTime = 100));
  end Radiator;

  model Neuron "Hodgkin-Huxley with pulses of current"
    Real V(start = -65, fixed = true, nominal = 50), m(start = 0.053, fixed = true), h(start = 0.6, fixed = true), n(start = 0.318, fixed = true), I;
  equation
    I = if mod(time, 40) < 15 then 12 else 0;
    der(V) = I - 120*m^3*h*(V - 50) - 36*n^4*(V + 77) - 0.3*(V + 54.4);
    der(m) = 0.1*(V + 40)/(1 - exp(-(V + 40)/10))*(1 - m) - 4*exp(-(V + 65)/18)*m;
    der(h) = 0.07*exp(-(V + 65)/20)*(1 - h) - h/(1 + exp(-(V + 35)/10));
    der(n) = 0.01*(V + 55)/(1 - exp(-(V + 55)/10))*(1 - n) - 0.125*exp(-(V + 65)/80)*n;
    annotation(experiment(StopTime = 120));
  end Neuron;

  model DiodeChain "Diodes and capacitors in a row, 12 stages, sine"
    parameter Integer N = 12;
    Real v[N](each start = 0, each fixed = true), i[N], vin;
  equation
    vin = 5*sin(314.15926535*time);
    i[1] = 1e-9*(exp(min((vin - v[1])/0.05, 60)) - 1) + (vin - v[1])/1e5;
    for k in 2:N loop
      i[k] = (v[k - 1] - v[k])/(200*k);
    end for;
    for k in 1:N loop
      1e-5*der(v[k]) = i[k] - (if k == N then v[N]/5000 else i[k + 1]);
    end for;
    annotation(experiment(StopTime = 0.2));
  end DiodeChain;

  model Column "Distillation column, 20 trays, constant relative volatility"
    parameter Integer N = 20, F = 10;
    parameter Real a = 2.2, L = 2.7, V = 3.2, D = 0.5, zf = 0.5;
    Real x[N](each start = 0.5, each fixed = true), y[N], Lx[N];
  equation
    for i in 1:N loop
      y[i] = a*x[i]/(1 + (a - 1)*x[i]);
      Lx[i] = if i <= F then L + 1 else L + (if time > 20 then 0.05 else 0);
    end for;
    10*der(x[1]) = Lx[2]*x[2] - (Lx[2] - V)*x[1] - V*y[1];
    for i in 2:N - 1 loop
      0.5*der(x[i]) = Lx[i + 1]*x[i + 1] - Lx[i]*x[i] + V*(y[i - 1] - y[i]) + (if i == F then zf + 0*x[i] else 0);
    end for;
    10*der(x[N]) = V*y[N - 1] - V*x[N];
    annotation(experiment(StopTime = 100));
  end Column;

  model Crane "Load on a cart, rope as a constraint"
    Real s(start = 0, fixed = true), vs(start = 0, fixed = true), x(start = 0), y(start = -2), vx(start = 0, fixed = true), vy, lam, u;
  equation
    u = 20*(1 - s) - 25*vs;
    der(s) = vs;
    der(x) = vx;
    der(y) = vy;
    10*der(vs) = u - lam*(s - x);
    4*der(vx) = lam*(s - x);
    4*der(vy) = -lam*y - 4*9.81;
    (x - s)^2 + y^2 = 4;
    annotation(experiment(StopTime = 10));
  end Crane;

  model Induction "Induction motor, direct start, load step"
    parameter Real Rs = 0.435, Rr = 0.816, Ls = 0.0713, Lr = 0.0713, Lm = 0.0693, J = 0.089, w0 = 377, U = 180;
    Real fqs(start = 0, fixed = true), fds(start = 0, fixed = true), fqr(start = 0, fixed = true), fdr(start = 0, fixed = true), w(start = 0, fixed = true, nominal = 100);
    Real iqs, ids, iqr, idr, Te, d;
  equation
    d = Ls*Lr - Lm^2;
    iqs = (Lr*fqs - Lm*fqr)/d;
    ids = (Lr*fds - Lm*fdr)/d;
    iqr = (Ls*fqr - Lm*fqs)/d;
    idr = (Ls*fdr - Lm*fds)/d;
    Te = 3*(fds*iqs - fqs*ids);
    der(fqs) = U - Rs*iqs - w0*fds;
    der(fds) = -Rs*ids + w0*fqs;
    der(fqr) = -Rr*iqr - (w0 - w)*fdr;
    der(fdr) = -Rr*idr + (w0 - w)*fqr;
    J*der(w) = 2*(Te - (if time > 1 then 10 else 0)) - 0.01*w;
    annotation(experiment(StopTime = 2));
  end Induction;

  model Flame "Ball of flame"
    Real y(start = 1e-4, fixed = true);
  equation
    der(y) = y^2 - y^3;
    annotation(experiment(StopTime = 20000));
  end Flame;

  model Motor "DC motor, chopper by a smooth controller, Stribeck friction"
    Real i(start = 0, fixed = true), w(start = 0, fixed = true), p(start = 0, fixed = true), z(start = 0, fixed = true), u, fr;
  equation
    u = 24*tanh((30*(2*sin(0.7*time) - p) - 1.5*w + z)/24);
    der(z) = 5*(2*sin(0.7*time) - p);
    0.002*der(i) = u - 0.8*i - 0.05*w;
    fr = (0.03 + 0.03*exp(-(w/2)^2))*tanh(w/0.02) + 1e-4*w;
    0.001*der(w) = 0.05*i - fr;
    der(p) = w;
    annotation(experiment(StopTime = 10));
  end Motor;

  model Swing "Two machines and an infinite bus, a fault of 100 ms"
    Real d1(start = 0.4, fixed = true), d2(start = 0.3, fixed = true), w1(start = 0, fixed = true), w2(start = 0, fixed = true), e1(start = 1.1, fixed = true), e2(start = 1.1, fixed = true), b;
  equation
    b = if time > 1 and time < 1.1 then 0.2 else 1;
    der(d1) = 314*w1;
    der(d2) = 314*w2;
    7*der(w1) = 0.8 - b*e1*1.8*sin(d1) - e1*e2*0.6*sin(d1 - d2) - 2*w1;
    5*der(w2) = 0.6 - b*e2*1.5*sin(d2) - e1*e2*0.6*sin(d2 - d1) - 2*w2;
    6*der(e1) = 1.2 - e1 - 0.3*(1 - cos(d1)) + 50*(1.05 - e1)/(1 + abs(1.05 - e1)*20);
    4*der(e2) = 1.2 - e2 - 0.3*(1 - cos(d2)) + 50*(1.05 - e2)/(1 + abs(1.05 - e2)*20);
    annotation(experiment(StopTime = 10));
  end Swing;

  model Battery "Cells in parallel with heat: slow and fast"
    parameter Integer N = 6;
    Real soc[N](each start = 0.9, each fixed = true), vrc[N](each start = 0, each fixed = true, each nominal = 0.1), T[N](each start = 298, each fixed = true, each nominal = 300), i[N], v, I;
  equation
    I = 20*(1 + sin(0.01*time));
    sum(i) = I;
    for k in 1:N loop
      v = 3.2 + 0.9*soc[k] - 0.1*exp(-20*soc[k]) - vrc[k] - (0.01 + 0.002*k)*exp(1500*(1/T[k] - 1/298))*i[k];
      der(soc[k]) = -i[k]/(3600*10);
      der(vrc[k]) = i[k]/2000 - vrc[k]/(0.015*2000);
      50*der(T[k]) = (0.01 + 0.002*k)*i[k]^2 - 0.4*(T[k] - 298) + (if k > 1 then T[k - 1] - T[k] else 0) + (if k < N then T[k + 1] - T[k] else 0);
    end for;
    annotation(experiment(StopTime = 5000));
  end Battery;

  model Thermostats "Three rooms, relays with hysteresis"
    Real T[3](start = {17, 18, 19}, each fixed = true, each nominal = 20), To;
    Boolean on[3](each start = false, each fixed = true);
  equation
    To = 5 + 6*sin(2*3.141592653589793*time/86400);
    for i in 1:3 loop
      on[i] = T[i] < 19.5 or pre(on[i]) and T[i] < 20.5;
      der(T[i]) = (To - T[i])/15000 + (if on[i] then 1.6e-3 else 0) + (if i < 3 then (T[i + 1] - T[i])/20000 else 0) + (if i > 1 then (T[i - 1] - T[i])/20000 else 0);
    end for;
    annotation(experiment(StopTime = 86400));
  end Thermostats;

  model Spread "Reaction and diffusion: Gray-Scott in a line, 30 cells"
    parameter Integer N = 30;
    Real u[N](start = {if i > 12 and i < 18 then 0.5 else 1 for i in 1:N}, each fixed = true), w[N](start = {if i > 12 and i < 18 then 0.25 else 0 for i in 1:N}, each fixed = true);
  equation
    for i in 1:N loop
      der(u[i]) = 0.3*(u[max(i - 1, 1)] - 2*u[i] + u[min(i + 1, N)]) - u[i]*w[i]^2 + 0.04*(1 - u[i]);
      der(w[i]) = 0.15*(w[max(i - 1, 1)] - 2*w[i] + w[min(i + 1, N)]) + u[i]*w[i]^2 - 0.1*w[i];
    end for;
    annotation(experiment(StopTime = 500));
  end Spread;

  // Written after the rules were made, and not looked at before.

  model Seasons "Predator and prey with seasons"
    Real hare(start = 30, fixed = true, nominal = 10), lynx(start = 4, fixed = true);
  equation
    der(hare) = hare*(0.55*(1 + 0.3*sin(6.283*time)) - 0.028*lynx);
    der(lynx) = lynx*(0.026*hare - 0.84);
    annotation(experiment(StopTime = 60));
  end Seasons;

  model Epidemic "Infected, recovered, waning, with a lockdown that follows the number of the infected"
    Real s(start = 0.999, fixed = true), e(start = 0.001, fixed = true), i(start = 0, fixed = true), r(start = 0, fixed = true), fear(start = 0, fixed = true);
    Real beta = 0.6/(1 + 40*fear);
  equation
    der(s) = -beta*s*i + r/180;
    der(e) = beta*s*i - e/3;
    der(i) = e/3 - i/6;
    der(r) = i/6 - r/180;
    der(fear) = (i - fear)/10;
    annotation(experiment(StopTime = 700));
  end Epidemic;

  model Patterns "Schnakenberg's reaction on a line"
    parameter Integer n = 40;
    parameter Real a = 0.1, b = 0.9, du = 0.01, dv = 0.4, h = 5/n;
    Real u[n](start = {1 + 0.1*sin(3.3*k) for k in 1:n}, each fixed = true), v[n](each start = 0.9, each fixed = true);
  equation
    for k in 1:n loop
      der(u[k]) = a - u[k] + u[k]^2*v[k] + du/h^2*(u[max(k - 1, 1)] - 2*u[k] + u[min(k + 1, n)]);
      der(v[k]) = b - u[k]^2*v[k] + dv/h^2*(v[max(k - 1, 1)] - 2*v[k] + v[min(k + 1, n)]);
    end for;
    annotation(experiment(StopTime = 40));
  end Patterns;

  model Plate "Heat in a plate, conductivity grows with temperature, one edge is heated and cooled in turn"
    parameter Integer n = 12;
    Real T[n, n](each start = 20, each fixed = true, each nominal = 100), edge = 20 + 200*sin(time)^2;
  equation
    for i in 1:n loop
      for j in 1:n loop
        der(T[i, j]) = (1 + 0.002*T[i, j])*((if i > 1 then T[max(i - 1, 1), j] else edge) + T[min(i + 1, n), j] + T[i, max(j - 1, 1)] + T[i, min(j + 1, n)] - 4*T[i, j]);
      end for;
    end for;
    annotation(experiment(StopTime = 30));
  end Plate;

  model Colpitts "Oscillator with one transistor"
    parameter Real L = 98.5e-6, C1 = 54e-9, C2 = 54e-9, R = 35, Re = 400, Vt = 0.025;
    Real v1(start = 0, fixed = true), v2(start = 0, fixed = true), i(start = 0, fixed = true, nominal = 0.01), ib, x = min(-v2/Vt, 40);
  equation
    ib = 1e-14*(exp(x) - 1);
    C1*der(v1) = i - 200*ib;
    C2*der(v2) = (-5 - v2)/Re + i + ib;
    L*der(i) = 5 - v1 - v2 - R*i;
    annotation(experiment(StopTime = 3e-4));
  end Colpitts;

  model Pendulums "Ten pendulums in a row, joined by springs"
    parameter Integer n = 10;
    Real phi[n](start = {if k == 1 then 2.5 else 0 for k in 1:n}, each fixed = true), w[n](each start = 0, each fixed = true);
  equation
    for k in 1:n loop
      der(phi[k]) = w[k];
      der(w[k]) = -sin(phi[k]) - 0.02*w[k] + 0.8*(phi[max(k - 1, 1)] - 2*phi[k] + phi[min(k + 1, n)]);
    end for;
    annotation(experiment(StopTime = 40));
  end Pendulums;

  model Lattice "A hundred masses with springs that stiffen, fixed at both ends"
    parameter Integer n = 100;
    Real x[n](start = {sin(3.14159265*k/(n + 1)) for k in 1:n}, each fixed = true), v[n](each start = 0, each fixed = true), s[n + 1];
  equation
    for k in 1:n + 1 loop
      s[k] = (if k <= n then x[min(k, n)] else 0) - (if k > 1 then x[max(k - 1, 1)] else 0);
    end for;
    for k in 1:n loop
      der(x[k]) = v[k];
      der(v[k]) = s[k + 1] - s[k] + 2*(s[k + 1]^3 - s[k]^3);
    end for;
    annotation(experiment(StopTime = 200));
  end Lattice;

  model Relay "A relay with hysteresis that reads a plant late"
    Real x(start = 0, fixed = true), v(start = 0, fixed = true), late = delay(x, 0.15);
    Boolean on(start = true, fixed = true);
  equation
    on = if pre(on) then late < 0.6 else late < 0.4;
    der(x) = v;
    der(v) = (if on then 2 else -1) - 1.5*v - x;
    annotation(experiment(StopTime = 15));
  end Relay;

  model Cascade "Six tanks one below the other, a pump with limits holds the last"
    parameter Integer n = 6;
    Real h[n](each start = 0.5, each fixed = true), i(start = 0, fixed = true), q, want;
  equation
    want = 0.3 + 0.4*i + 2*(0.8 - h[n]);
    q = max(0, min(1.2, want));
    der(i) = 0.8 - h[n] + 3*(q - want);
    der(h[1]) = q - 0.6*sqrt(max(h[1], 0) + 1e-4);
    for k in 2:n loop
      der(h[k]) = 0.6*(sqrt(max(h[k - 1], 0) + 1e-4) - sqrt(max(h[k], 0) + 1e-4));
    end for;
    annotation(experiment(StopTime = 80));
  end Cascade;

  model Chromatograph "A pulse in a column that adsorbs by Langmuir"
    parameter Integer n = 60;
    Real c[n](each start = 0, each fixed = true), q[n](each start = 0, each fixed = true), feed = exp(-((time - 0.3)/0.08)^2);
  equation
    for k in 1:n loop
      der(c[k]) = n*((if k > 1 then c[max(k - 1, 1)] else feed) - c[k]) - 30*(2*c[k]/(1 + c[k]) - q[k]);
      der(q[k]) = 30*(2*c[k]/(1 + c[k]) - q[k]);
    end for;
    annotation(experiment(StopTime = 5));
  end Chromatograph;

  model Clock "A circadian clock of five steps"
    Real M(start = 0.1, fixed = true), P0(start = 0.25, fixed = true), P1(start = 0.25, fixed = true), P2(start = 0.25, fixed = true), PN(start = 0.25, fixed = true);
    Real a, b, c, d;
  equation
    a = 3.2*P0/(2 + P0);
    b = 1.58*P1/(2 + P1);
    c = 5*P1/(2 + P1);
    d = 2.5*P2/(2 + P2);
    der(M) = 0.76/(1 + PN^4) - 0.65*M/(0.5 + M);
    der(P0) = 0.38*M - a + b;
    der(P1) = a - b - c + d;
    der(P2) = c - d - 1.9*P2 + 1.3*PN - 0.95*P2/(0.2 + P2);
    der(PN) = 1.9*P2 - 1.3*PN;
    annotation(experiment(StopTime = 120));
  end Clock;

  model Clamped "Fifty cells of resistors and capacitors, each with a diode to a rail"
    parameter Integer n = 50;
    Real v[n](each start = 0, each fixed = true), u = 2*sin(20*time);
  equation
    for k in 1:n loop
      der(v[k]) = 500*((if k > 1 then v[max(k - 1, 1)] else u) - 2*v[k] + v[min(k + 1, n)]) - 1e-3*(exp(min((v[k] - 0.3)/0.05, 40)) - 1);
    end for;
    annotation(experiment(StopTime = 1));
  end Clamped;

  model Attitude "A satellite that turns to a target, torques limited"
    Real q[3](start = {0.4, -0.2, 0.5}, each fixed = true), w[3](start = {0.05, 0.1, -0.08}, each fixed = true), q0, u[3];
    parameter Real J[3] = {10, 14, 8};
  equation
    q0 = sqrt(max(1 - q*q, 0));
    for k in 1:3 loop
      u[k] = max(-0.5, min(0.5, -4*q[k] - 9*w[k]));
      der(q[k]) = 0.5*(q0*w[k] + q[mod(k, 3) + 1]*w[mod(k + 1, 3) + 1] - q[mod(k + 1, 3) + 1]*w[mod(k, 3) + 1]);
      J[k]*der(w[k]) = u[k] + (J[mod(k, 3) + 1] - J[mod(k + 1, 3) + 1])*w[mod(k, 3) + 1]*w[mod(k + 1, 3) + 1];
    end for;
    annotation(experiment(StopTime = 60));
  end Attitude;

  model Clusters "Particles that stick together, thirty sizes"
    parameter Integer n = 30;
    Real c[n](start = {if k == 1 then 1 else 0 for k in 1:n}, each fixed = true), total = sum(c);
  equation
    for k in 1:n loop
      der(c[k]) = 0.5*sum(c[j]*c[k - j] for j in 1:k - 1) - c[k]*total - 0.1*c[k] + (if k == 1 then 0.1 else 0);
    end for;
    annotation(experiment(StopTime = 30));
  end Clusters;

  model Backlash "A motor that moves a load through play"
    Real a(start = 0, fixed = true), wa(start = 0, fixed = true), b(start = 0, fixed = true), wb(start = 0, fixed = true), gap = a - b, torque;
  equation
    torque = if gap > 0.05 then 400*(gap - 0.05) + 2*(wa - wb) else if gap < -0.05 then 400*(gap + 0.05) + 2*(wa - wb) else 0;
    der(a) = wa;
    der(wa) = 3*sin(2*time) - torque - 0.5*wa;
    der(b) = wb;
    3*der(wb) = torque - 0.3*wb;
    annotation(experiment(StopTime = 20));
  end Backlash;
end Strangers;
