model emep "Ozone chemistry of the lower atmosphere: 66 species, sunrise and sunset as events"
  constant Real pi = 3.14159265358979323846;
  constant Real T = 298 "temperature", M = 2.55e19, O2 = 5.2e18 "molecules of air and oxygen per cm3", mixing = 1.2e5 "height, cm";

  function emission "molecules per cm2 and s of an organic species, from its mass fraction and molar mass"
    input Real fraction, mass;
    output Real e;
  algorithm
    e := 2.5e11*(fraction/mass)/(0.07689/30 + 0.41444/58 + 0.03642/28 + 0.03827/42 + 0.24537/106 + 0.13957/46);
  end emission;

  // rate constants, numbered as in the EMEP scheme
  constant Real k1 = 5.7e-34*(T/300)^(-2.8)*M*O2, k5 = 9.6e-32*(T/300)^(-1.6)*M, k7 = 2e-11*exp(100/T)*M,
    k8 = 2.2e-10, k11 = 1.8e-12*exp(-1370/T), k12 = 1.2e-13*exp(-2450/T), k13 = 1.9e-12*exp(-1000/T),
    k14 = 1.4e-14*exp(-600/T), k15 = 1.8e-11*exp(110/T), k17 = 3.7e-12*exp(240/T), k19 = 7.2e-14*exp(-1414/T),
    k20 = 1.4e-12, k21 = 1.4e-11, k26 = 4.1e-16, k29 = 7.1e14*exp(-11080/T), k30 = 4.8e-11*exp(250/T),
    k31 = 2.9e-12*exp(-160/T), k33 = 7.7e-12*exp(-2100/T), k35 = 1e-14*exp(785/T), k39 = 1.35e-12, k40 = 4e-17,
    k59 = 3.9e-12*exp(-1885/T), k60 = 4.2e-12*exp(180/T), k61 = 5.5e-14*exp(365/T), k62 = 5.5e-14*exp(365/T),
    k63 = 3.3e-12*exp(-380/T), k64 = 3.2e-12, k65 = 3.8e-13*exp(780/T), k66 = 9.6e-12, k67 = 1e-12*exp(190/T),
    k68 = 1.9e-12*exp(190/T), k69 = 5.8e-16, k70 = 2.4e-13, k71 = 7.8e-12*exp(-1020/T), k72 = 8.9e-12,
    k74 = 6.5e-13*exp(650/T), k75 = 5.6e-12*exp(310/T), k76 = 5.8e-12*exp(190/T), k77 = 1e-11,
    k78 = 1.34e16*exp(-13330/T), k79 = 2e-11, k80 = 1.1e-11, k81 = 1.64e-11*exp(-559/T), k85 = 1e-11, k86 = 1.15e-12,
    k87 = 4.8e-12, k88 = 1.3e-13*exp(1040/T), k89 = 3e-13*exp(1040/T), k94 = 2.8e-12*exp(530/T),
    k109 = 1.66e-12*exp(474/T), k112 = 1.2e-14*exp(-2630/T), k123 = 6.5e-15*exp(-1880/T), k125 = 2.86e-11,
    k146 = 3.2e-11, k147 = 2e-11, k148 = 2.2e-11, k149 = 3.7e-11, k150 = 12.3e-15*exp(-2013/T),
    k151 = 2.54e-11*exp(410/T), k153 = 4.13e-12*exp(452/T), k156 = 2e-11, k157 = 8e-18, k158 = 1.86e-11*exp(175/T),
    k160 = 4.32e-15*exp(-2016/T), k161 = 3.35e-11, k163 = 7.8e-13, k219 = 2e-11, k221 = 1.1e-11, k222 = 1.7e-11,
    k223 = 2.4e-11, k234 = 1.37e-11, k235 = 1.7e-11, k83 = k60, k105 = k60, k110 = k60, k126 = k60, k152 = k60,
    k154 = k60, k155 = k85, k159 = k60, k162 = k60, k164 = k60, k220 = k60, k236 = k60;
  constant Real k43 = 1e-4, k44 = k43, k45 = k43 "loss to aerosol";
  constant Real a[16] = {1.23e-3, 2.00e-4, 1.45e-2, 2.20e-5, 3.00e-6, 5.40e-5, 6.65e-5, 1.35e-5, 2.43e-5, 5.40e-4, 2.16e-4, 5.40e-5,
    3.53e-2, 8.94e-2, 3.32e-5, 2.27e-5} "photolysis under a vertical sun is a exp(-b)";
  constant Real b[16] = {0.60, 1.40, 0.40, 0.75, 1.25, 0.79, 0.60, 0.94, 0.88, 0.79, 0.79, 0.79, 0.081, 0.059, 0.57, 0.62};

  Real NO(start = 1e9), NO2(start = 5e9), SO2(start = 5e9), CO(start = 3.8e12), CH4(start = 3.5e13),
    C2H6(start = 1e7), NC4H10(start = 1e7), C2H4(start = 1e7), C3H6(start = 1e7), OXYL(start = 1e7),
    HCHO(start = 1e7), CH3CHO(start = 1e7), MEK(start = 1e7), O3(start = 5e11), HO2(start = 100), HNO3(start = 100),
    H2O2(start = 100), H2(start = 100), CH3O2(start = 100), C2H5OH(start = 100), SA(start = 100),
    CH3O2H(start = 100), C2H5O2(start = 100), CH3COO(start = 100), PAN(start = 100), SECC4H(start = 100),
    MEKO2(start = 100), R2OOH(start = 100), ETRO2(start = 100), MGLYOX(start = 100), PRRO2(start = 100),
    GLYOX(start = 100), OXYO2(start = 100), MAL(start = 100), MALO2(start = 100), OP(start = 100), OH(start = 100),
    OD(start = 1e-3), NO3(start = 100), N2O5(start = 100), ISOPRE(start = 100), NITRAT(start = 100),
    ISRO2(start = 100), MVK(start = 100), MVKO2(start = 100), CH3OH(start = 100), RCO3H(start = 100),
    OXYO2H(start = 100), BURO2H(start = 100), ETRO2H(start = 100), PRRO2H(start = 100), MEKO2H(start = 100),
    MALO2H(start = 100), MACR(start = 100), ISNI(start = 100), ISRO2H(start = 100), MARO2(start = 100),
    MAPAN(start = 100), CH2CCH3(start = 100), ISONO3(start = 100), ISNIR(start = 100), MVKO2H(start = 100),
    CH2CHR(start = 100), ISNO3H(start = 100), ISNIRH(start = 100), MARO2H(start = 100);
  discrete Boolean day(start = true, fixed = true) "from 4 to 20 hours";
  discrete Real midnight(start = 0, fixed = true) "begin of the day";
  Real clock = time - midnight "s";
  Real sec = 1/(-cos(pi*clock/43200)*cos(latitude)*cos(declination) + sin(latitude)*sin(declination)) "of the zenith angle";
  constant Real latitude = 50*pi/180, declination = 23.5*pi/180;
  Real humidity = 23*sin(2.43 - 7.93e-5*clock) + 66.5 "per cent";
  Real H2O = 6.1078*exp(-(597.3 - 0.57*(T - 273.16))*18/1.986*(1/T - 1/273.16))*10/(1.38e-16*T)*humidity;
  Real k36 = (2.3e-13*exp(600/T) + M*1.7e-33*exp(1000/T))*(1 + 1.4e-21*H2O*exp(2200/T));
  Real j[16] = {if day then a[i]*exp(-b[i]*sec) else 1e-40 for i in 1:16} "photolysis";
  Real slow = if day then 1 else 0.25 "deposition is slower at night";
  Real k47 = 0.5*slow/mixing, k48 = 0.2*slow/mixing, k49 = 0.5*slow/mixing, k50 = 0.2*slow/mixing, k51 = 0.1*slow/mixing, k52 = 0.5*slow/mixing, k53 = 0.3*slow/mixing;
equation
  when {sample(20*3600, 86400), sample(28*3600, 86400)} then
    day = not pre(day);
  end when;
  when sample(86400, 86400) then
    midnight = time;
  end when;
    der(NO) = j[3]*NO2 + j[13]*NO3 + k19*NO2*NO3 + 2.5e11/mixing - (k5*OP + k11*O3 + k17*HO2 + k72*C2H5O2 +
    k79*(CH3COO + MARO2) + k15*NO3 + k60*(CH3O2 + SECC4H + MEKO2 + ETRO2 + PRRO2 + OXYO2 + MALO2 + ISRO2 + MVKO2 +
    CH2CCH3 + ISNIR + ISONO3))*NO;
    der(NO2) = NO*(k5*OP + k11*O3 + k17*HO2 + k72*C2H5O2 + k79*(CH3COO + MARO2) + 2*k15*NO3) + k60*NO*(CH3O2 + SECC4H
    + MEKO2 + ETRO2 + PRRO2 + OXYO2 + MALO2 + CH2CCH3) + k60*NO*(0.86*ISRO2 + 1.9*ISNIR + 1.1*ISONO3 + 0.95*MVKO2) +
    j[14]*NO3 + j[5]*HNO3 + j[15]*N2O5 + k29*N2O5 + k78*(PAN + MAPAN) - (j[3] + k12*O3 + k20*NO3 + k21*OH + k48 +
    k77*(CH3COO + MARO2))*NO2;
    der(SO2) = 2.5e11/mixing - (k39*OH + k40*CH3O2 + k47)*SO2;
    der(CO) = 2.5e12/mixing + OH*(k66*HCHO + 2*k221*GLYOX + k222*MGLYOX) + O3*(0.44*k112*C2H4 + 0.4*k123*C3H6 +
    0.05*k160*MVK + 0.05*k150*ISOPRE) + HCHO*(j[6] + j[7] + k69*NO3) + j[8]*CH3CHO + j[11]*MGLYOX + 2*j[7]*GLYOX -
    k70*OH*CO;
    der(CH4) = 0.07*k123*O3*C3H6 - k59*OH*CH4;
    der(C2H6) = emission(0.07689, 30)/mixing - k71*OH*C2H6;
    der(NC4H10) = emission(0.41444, 58)/mixing - k81*OH*NC4H10;
    der(C2H4) = emission(0.03642, 28)/mixing - (k109*OH + k112*O3)*C2H4;
    der(C3H6) = emission(0.03827, 42)/mixing + 0.07*k150*O3*ISOPRE-(k123*O3 + k125*OH)*C3H6;
    der(OXYL) = emission(0.24537, 106)/mixing - k234*OH*OXYL;
    der(HCHO) = CH3O2*(k60*NO + (2*k61 + k62)*CH3O2 + k80*CH3COO + k40*SO2) + OH*(k63*CH3OH + k67*CH3O2H) +
    NO*k60*(2*ETRO2 + PRRO2 + 0.74*ISRO2 + 0.266*MVKO2 + 0.15*ISONO3) + O3*(0.5*k123*C3H6 + k112*C2H4 +
    0.7*k157*ISRO2H + 0.8*k160*MVK + 0.8*k150*ISOPRE) + 2*j[7]*GLYOX + j[16]*(CH3O2H + 1.56*ETRO2H + PRRO2H) - (k66*OH
    + j[6] + j[7] + k69*NO3 + k53)*HCHO;
    der(CH3CHO) = NO*(k72*C2H5O2 + k83*SECC4H*0.35 + k105*MEKO2 + k126*PRRO2 + 0.95*k162*ISNIR + 0.684*k154*MVKO2) +
    OH*(k64*C2H5OH + k76*R2OOH + k76*ETRO2H) + 0.5*k123*O3*C3H6 + 0.04*k160*O3*MVK + j[16]*(R2OOH + 0.22*ETRO2H +
    0.35*BURO2H + PRRO2H + MEKO2H) - (j[8] + k75*OH + k53)*CH3CHO;
    der(MEK) = k83*NO*SECC4H*0.65 + (0.65*j[16] + k76*OH)*BURO2H + k76*OH*PRRO2H + (k159*NO + j[16])*CH2CCH3 +
    0.95*k162*NO*ISNIR - (j[9] + k86*OH + k53)*MEK;
    der(O3) = k1*OP + k89*HO2*CH3COO - (k11*NO + k12*NO2 + k13*OH + k14*HO2 + k49 + k112*C2H4 + k123*C3H6 +
    k157*ISRO2H + k160*MVK + k150*ISOPRE+j[1] + j[2])*O3;
    der(HO2) = OH*(k13*O3 + k31*H2O2 + k33*H2 + k39*SO2 + k63*CH3OH + k64*C2H5OH + k66*HCHO + k70*CO + k221*GLYOX) +
    CH3O2*(k40*SO2 + 2*k61*CH3O2 + 0.5*k80*CH3COO) + j[11]*MGLYOX + NO*k60*(CH3O2 + ETRO2 + PRRO2 + OXYO2 + MALO2 +
    0.95*MVKO2 + SECC4H*0.65 + 0.78*ISRO2 + CH2CCH3 + 0.05*ISNIR + 0.8*ISONO3) + k72*NO*C2H5O2 + j[8]*CH3CHO +
    2*j[6]*HCHO + j[16]*(CH3O2H + R2OOH + 0.65*BURO2H + ETRO2H + PRRO2H + OXYO2H + MALO2H) + NO3*(k26*H2O2 + k69*HCHO)
    + O3*(0.12*k112*C2H4 + 0.28*k123*C3H6 + 0.06*k160*MVK) + 0.06*k150*O3*ISOPRE-(k14*O3 + k17*NO + k30*OH + 2*k36*HO2
    + k65*CH3O2 + k74*C2H5O2 + (k88 + k89)*CH3COO + k85*(SECC4H + ETRO2 + PRRO2 + MEKO2 + MARO2 + MVKO2 + ISNIR +
    CH2CCH3 + OXYO2 + MALO2 + ISRO2 + ISONO3))*HO2;
    der(HNO3) = k21*NO2*OH + NO3*(k26*H2O2 + k69*HCHO) - (k35*OH + j[5] + k45)*HNO3;
    der(H2O2) = k36*HO2^2 - (k31*OH + j[4] + k43 + k26*NO3 + k47)*H2O2;
    der(H2) = j[7]*HCHO + O3*(0.13*k112*C2H4 + 0.07*k123*C3H6) - k33*OH*H2;
    der(CH3O2) = OH*(k59*CH4 + k68*CH3O2H) + CH3COO*(k79*NO + 2*k94*CH3COO) + j[8]*CH3CHO + j[16]*RCO3H +
    0.31*k123*O3*C3H6 - (k40*SO2 + k60*NO + 2*k61*CH3O2 + 2*k62*CH3O2 + k65*HO2 + 0.5*k80*CH3COO)*CH3O2;
    der(C2H5OH) = emission(0.13957, 46)/mixing - k64*OH*C2H5OH;
    der(SA) = (k40*CH3O2 + k39*OH)*SO2 + 0.05*2.5e11/mixing - k51*SA;
    der(CH3O2H) = k65*HO2*CH3O2 - (k43 + j[16] + (k67 + k68)*OH)*CH3O2H;
    der(C2H5O2) = OH*(k71*C2H6 + k68*R2OOH) + 0.35*j[16]*BURO2H + k83*NO*SECC4H*0.35 + j[9]*MEK - (k72*NO +
    k74*HO2)*C2H5O2;
    der(CH3COO) = OH*(k75*CH3CHO + k222*MGLYOX + k68*RCO3H) + k105*NO*MEKO2 + k78*PAN + j[11]*MGLYOX + j[9]*MEK +
    j[16]*MEKO2H + 0.684*k154*NO*MVKO2 - (k77*NO2 + k79*NO + k80*CH3O2 + 2*k94*CH3COO + (k88 + k89)*HO2)*CH3COO;
    der(PAN) = k77*CH3COO*NO2 - (k50 + k78)*PAN;
    der(SECC4H) = OH*(k81*NC4H10 + k68*BURO2H) - (k83*NO + k85*HO2)*SECC4H;
    der(MEKO2) = OH*(k86*MEK + k87*MEKO2H) - (k105*NO + k85*HO2)*MEKO2;
    der(R2OOH) = k74*HO2*C2H5O2 - ((k76 + k68)*OH + j[16] + k52)*R2OOH;
    der(ETRO2) = OH*(k109*C2H4 + k68*ETRO2H) - (k110*NO + k85*HO2)*ETRO2;
    der(MGLYOX) = k236*NO*OXYO2 + k220*NO*MALO2 + 0.266*k154*NO*MVKO2 + 0.82*k160*O3*MVK + j[16]*(OXYO2H + MALO2H) -
    (j[11] + k222*OH)*MGLYOX;
    der(PRRO2) = OH*(k125*C3H6 + k68*PRRO2H) - (k126*NO + k85*HO2)*PRRO2;
    der(GLYOX) = k220*NO*MALO2 + j[16]*MALO2H - (2*j[7] + k221*OH)*GLYOX;
    der(OXYO2) = OH*(k234*OXYL + k235*OXYO2H) - (k236*NO + k85*HO2)*OXYO2;
    der(MAL) = k236*NO*OXYO2 + j[16]*OXYO2H - k219*OH*MAL;
    der(MALO2) = OH*(k219*MAL + k223*MALO2H) - (k220*NO + k85*HO2)*MALO2;
    der(OP) = j[1]*O3 + j[3]*NO2 + j[14]*NO3 + k7*OD + 0.2*k160*O3*MVK + 0.3*k150*O3*ISOPRE-(k1 + k5*NO)*OP;
    der(OH) = 2*k8*H2O*OD + HO2*(k14*O3 + k17*NO) + 2*j[4]*H2O2 + j[5]*HNO3 + j[16]*(CH3O2H + R2OOH + RCO3H + BURO2H +
    ETRO2H + MEKO2H + OXYO2H + MALO2H) + O3*(0.15*k123*C3H6 + 0.08*k160*MVK) + 0.55*k150*O3*ISOPRE-(k222*MGLYOX +
    k75*CH3CHO + k81*NC4H10 + k87*MEKO2H + k86*MEK + k235*OXYO2H + k109*C2H4 + k125*C3H6 + k234*OXYL + k223*MALO2H +
    k219*MAL + k31*H2O2 + k21*NO2 + k148*MVKO2H + k64*C2H5OH + k39*SO2 + k71*C2H6 + k30*HO2 + k59*CH4 + k70*CO +
    k35*HNO3 + k13*O3 + k221*GLYOX + k68*(CH3O2H + R2OOH + RCO3H + ETRO2H + PRRO2H + BURO2H) + k66*HCHO +
    k151*ISOPRE+k153*MVK + k63*CH3OH + k33*H2 + k158*MACR + k146*CH2CHR + k149*(ISNIRH + MARO2H) + k147*ISNO3H +
    k161*ISNI)*OH;
    der(OD) = j[2]*O3 - (k7 + k8*H2O)*OD;
    der(NO3) = (k29 + j[15])*N2O5 + k12*O3*NO2 + k35*OH*HNO3 - (k15*NO + k26*H2O2 + k163*ISOPRE+k19*NO2 + k20*NO2 +
    j[13] + j[14] + k69*HCHO)*NO3;
    der(N2O5) = k20*NO3*NO2 - (k29 + j[15] + k45)*N2O5;
    der(ISOPRE) = 1.25e11/mixing - (k151*OH + k163*NO3 + k150*O3)*ISOPRE;
    der(NITRAT) = k45*HNO3 + 2*k44*N2O5 - k51*NITRAT;
    der(ISRO2) = OH*(k151*ISOPRE+k156*ISRO2H) + 0.12*k152*NO*ISRO2 - (k152*NO + k155*HO2)*ISRO2;
    der(MVK) = k60*NO*(0.42*ISRO2 + 0.05*ISONO3) + 0.26*k150*O3*ISOPRE-(k153*OH + k160*O3)*MVK;
    der(MVKO2) = k153*MVK*OH + k148*OH*MVKO2H - (k154*NO + k85*HO2)*MVKO2;
    der(CH3OH) = k62*CH3O2^2 - k63*OH*CH3OH;
    der(RCO3H) = k88*HO2*CH3COO - (k68*OH + j[16] + k52)*RCO3H;
    der(OXYO2H) = k85*HO2*OXYO2 - (k235*OH + j[16] + k52)*OXYO2H;
    der(BURO2H) = k85*HO2*SECC4H - ((k76 + k68)*OH + j[16] + k52)*BURO2H;
    der(ETRO2H) = k85*HO2*ETRO2 - ((k76 + k68)*OH + j[16] + k52)*ETRO2H;
    der(PRRO2H) = k85*HO2*PRRO2 - ((k76 + k68)*OH + j[16] + k52)*PRRO2H;
    der(MEKO2H) = k85*HO2*MEKO2 - (k87*OH + j[16] + k52)*MEKO2H;
    der(MALO2H) = k85*HO2*MALO2 - (k223*OH + j[16] + k52)*MALO2H;
    der(MACR) = k60*NO*(0.32*ISRO2 + 0.1*ISONO3) + 0.67*k150*O3*ISOPRE-k158*OH*MACR;
    der(ISNI) = k60*NO*(0.14*ISRO2 + 0.05*MVKO2 + 0.85*ISONO3) - k161*OH*ISNI;
    der(ISRO2H) = k155*HO2*ISRO2 - (k156*OH + k157*O3 + k52)*ISRO2H;
    der(MARO2) = 0.5*k158*OH*MACR + k78*MAPAN + k149*OH*MARO2H - (k77*NO2 + k79*NO + k85*HO2)*MARO2;
    der(MAPAN) = k77*MARO2*NO2 - (k50 + k78)*MAPAN;
    der(CH2CCH3) = k79*NO*MARO2 + k146*OH*CH2CHR - (k159*NO + k85*HO2)*CH2CCH3;
    der(ISONO3) = k163*NO3*ISOPRE+k147*OH*ISNO3H - (k164*NO + k85*HO2)*ISONO3;
    der(ISNIR) = k161*OH*ISNI + k149*OH*ISNIRH - (k162*NO + k85*HO2)*ISNIR;
    der(MVKO2H) = k85*HO2*MVKO2 - (k148*OH + k52)*MVKO2H;
    der(CH2CHR) = k85*HO2*CH2CCH3 - (k146*OH + k52)*CH2CHR;
    der(ISNO3H) = k85*HO2*ISONO3 - (k147*OH + k52)*ISNO3H;
    der(ISNIRH) = k85*HO2*ISNIR - (k149*OH + k52)*ISNIRH;
    der(MARO2H) = k85*HO2*MARO2 - (k149*OH + k52)*MARO2H;
  annotation(experiment(StartTime = 14400, StopTime = 417600));
end emep;
