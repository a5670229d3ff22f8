/* The elements of modelDescription.xml, FMI 2.0.5 and FMI 3.0.2: facts of their schema files.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmi/schema.h"

// clang-format off
#define CAUSALITY "causality:{parameter|calculatedParameter|input|output|local|independent"
#define VARIABILITY " variability:{constant|fixed|tunable|discrete|continuous}"
#define INITIAL " initial:{exact|approx|calculated}"
#define KINDS " dependencies:*u32 dependenciesKind:*{dependent|constant|fixed|tunable|discrete}"

const fmi_element fmi_groups[] = {
    {"root", "modelName:s! description:s author:s version:s copyright:s license:s generationTool:s "
             "generationDateAndTime:t variableNamingConvention:{flat|structured}", NULL},
    {"interface2", "modelIdentifier:s! needsExecutionTool:b canBeInstantiatedOnlyOncePerProcess:b "
                   "canNotUseMemoryManagementFunctions:b canGetAndSetFMUstate:b canSerializeFMUstate:b "
                   "providesDirectionalDerivative:b", NULL},
    {"interface3", "modelIdentifier:s! needsExecutionTool:b canBeInstantiatedOnlyOncePerProcess:b canGetAndSetFMUState:b "
                   "canSerializeFMUState:b providesDirectionalDerivatives:b providesAdjointDerivatives:b "
                   "providesPerElementDependencies:b *:s", NULL},
    {"real", "quantity:s unit:s displayUnit:s relativeQuantity:b unbounded:b", NULL},
    {"real2", "@real min:d max:d nominal:d", NULL},
    {"integer2", "quantity:s min:i32 max:i32", NULL},
    {"variable", "name:s! valueReference:u32! description:s " CAUSALITY "|structuralParameter}" VARIABILITY
                 " canHandleMultipleSetPerTimeInstant:b clocks:*u32", NULL},
    {"array", "@variable intermediateUpdate:b previous:u32" INITIAL, NULL},
    {"float", "@array @real declaredType:s derivative:u32 reinit:b", NULL},
    {"clock", "canBeDeactivated:b priority:u32 intervalVariability:{constant|fixed|tunable|changing|countdown|triggered}! "
              "intervalDecimal:d shiftDecimal:d supportsFraction:b resolution:u64 intervalCounter:u64 shiftCounter:u64", NULL},
    {NULL, NULL, NULL},
};

const fmi_element fmi2_elements[] = {
    {"fmiModelDescription", "fmiVersion:s! guid:s! numberOfEventIndicators:u32 @root",
     "(ModelExchange|CoSimulation)* UnitDefinitions? TypeDefinitions? LogCategories? DefaultExperiment? VendorAnnotations? "
     "ModelVariables ModelStructure"},
    {"ModelExchange", "@interface2 completedIntegratorStepNotNeeded:b", "SourceFiles?"},
    {"CoSimulation", "@interface2 canHandleVariableCommunicationStepSize:b canInterpolateInputs:b maxOutputDerivativeOrder:u32 "
                     "canRunAsynchronuously:b", "SourceFiles?"},
    {"SourceFiles", "", "File+"},
    {"File", "name:s!", ""},
    {"UnitDefinitions", "", "Unit+"},
    {"Unit", "name:s!", "BaseUnit? DisplayUnit*"},
    {"BaseUnit", "kg:i32 m:i32 s:i32 A:i32 K:i32 mol:i32 cd:i32 rad:i32 factor:d offset:d", ""},
    {"DisplayUnit", "name:s! factor:d offset:d", ""},
    {"TypeDefinitions", "", "SimpleType+"},
    {"SimpleType", "name:s! description:s", "(Real.type|Integer.type|Boolean.type|String.type|Enumeration.type)"},
    {"Real.type", "@real2", ""},
    {"Integer.type", "@integer2", ""},
    {"Boolean.type", "", ""},
    {"String.type", "", ""},
    {"Enumeration.type", "quantity:s", "Item+"},
    {"Item", "name:s! value:i32! description:s", ""},
    {"LogCategories", "", "Category+"},
    {"Category", "name:s! description:s", ""},
    {"DefaultExperiment", "startTime:d stopTime:d tolerance:d stepSize:d", ""},
    {"VendorAnnotations", "", "Tool+"},
    {"Annotations", "", "Tool+"},
    {"Tool", "name:s!", NULL},
    {"ModelVariables", "", "ScalarVariable+"},
    {"ScalarVariable", "name:s! valueReference:u32! description:s " CAUSALITY "}" VARIABILITY INITIAL
                       " canHandleMultipleSetPerTimeInstant:b", "(Real|Integer|Boolean|String|Enumeration) Annotations?"},
    {"Real", "declaredType:s @real2 start:d derivative:u32 reinit:b", ""},
    {"Integer", "declaredType:s @integer2 start:i32", ""},
    {"Boolean", "declaredType:s start:b", ""},
    {"String", "declaredType:s start:s", ""},
    {"Enumeration", "declaredType:s! @integer2 start:i32", ""},
    {"ModelStructure", "", "Outputs? Derivatives? InitialUnknowns?"},
    {"Outputs", "", "Unknown+"},
    {"Derivatives", "", "Unknown+"},
    {"InitialUnknowns", "", "Unknown+"},
    {"Unknown", "index:u32!" KINDS, ""},
    {NULL, NULL, NULL},
};

#define INTEGER_TYPE(T, t) {T "Type", "name:s! description:s quantity:s min:" t " max:" t, "Annotations?"}
#define INTEGER(T, t) {T, "@array declaredType:s quantity:s min:" t " max:" t " start:*" t, "Annotations? Dimension* Alias*"}

const fmi_element fmi3_elements[] = {
    {"fmiModelDescription", "fmiVersion:s! instantiationToken:s! @root",
     "ModelExchange? CoSimulation? ScheduledExecution? UnitDefinitions? TypeDefinitions? LogCategories? DefaultExperiment? "
     "ModelVariables ModelStructure Annotations?"},
    {"ModelExchange", "@interface3 needsCompletedIntegratorStep:b providesEvaluateDiscreteStates:b", "Annotations?"},
    {"CoSimulation", "@interface3 canHandleVariableCommunicationStepSize:b fixedInternalStepSize:d maxOutputDerivativeOrder:u32 "
                     "recommendedIntermediateInputSmoothness:i32 providesIntermediateUpdate:b mightReturnEarlyFromDoStep:b "
                     "canReturnEarlyAfterIntermediateUpdate:b hasEventMode:b providesEvaluateDiscreteStates:b", "Annotations?"},
    {"ScheduledExecution", "@interface3", "Annotations?"},
    {"Annotations", "", "Annotation+"},
    {"Annotation", "type:s!", NULL},
    {"UnitDefinitions", "", "Unit+"},
    {"Unit", "name:s!", "BaseUnit? DisplayUnit* Annotations?"},
    {"BaseUnit", "kg:i32 m:i32 s:i32 A:i32 K:i32 mol:i32 cd:i32 rad:i32 factor:d offset:d", ""},
    {"DisplayUnit", "name:s! factor:d offset:d inverse:b", "Annotations?"},
    {"TypeDefinitions", "", "(Float32Type|Float64Type|Int8Type|UInt8Type|Int16Type|UInt16Type|Int32Type|UInt32Type|Int64Type|"
                            "UInt64Type|BooleanType|StringType|BinaryType|EnumerationType|ClockType)+"},
    {"Float32Type", "name:s! description:s @real min:d max:d nominal:d", "Annotations?"},
    {"Float64Type", "name:s! description:s @real min:d max:d nominal:d", "Annotations?"},
    INTEGER_TYPE("Int8", "i8"), INTEGER_TYPE("UInt8", "u8"), INTEGER_TYPE("Int16", "i16"), INTEGER_TYPE("UInt16", "u16"),
    INTEGER_TYPE("Int32", "i32"), INTEGER_TYPE("UInt32", "u32"), INTEGER_TYPE("Int64", "i64"), INTEGER_TYPE("UInt64", "u64"),
    {"BooleanType", "name:s! description:s", "Annotations?"},
    {"StringType", "name:s! description:s", "Annotations?"},
    {"BinaryType", "name:s! description:s mimeType:s maxSize:u64", "Annotations?"},
    {"EnumerationType", "name:s! description:s quantity:s min:i64 max:i64", "Annotations? Item+"},
    {"Item", "name:s! value:i64! description:s", "Annotations?"},
    {"ClockType", "name:s! description:s @clock", "Annotations?"},
    {"LogCategories", "", "Category+"},
    {"Category", "name:s! description:s", "Annotations?"},
    {"DefaultExperiment", "startTime:d stopTime:d tolerance:d stepSize:d", "Annotations?"},
    {"ModelVariables", "", "(Float32|Float64|Int8|UInt8|Int16|UInt16|Int32|UInt32|Int64|UInt64|Boolean|String|Binary|"
                           "Enumeration|Clock)+"},
    {"Float32", "@float min:d max:d nominal:d start:*d", "Annotations? Dimension* Alias.float*"},
    {"Float64", "@float min:d max:d nominal:d start:*d", "Annotations? Dimension* Alias.float*"},
    INTEGER("Int8", "i8"), INTEGER("UInt8", "u8"), INTEGER("Int16", "i16"), INTEGER("UInt16", "u16"),
    INTEGER("Int32", "i32"), INTEGER("UInt32", "u32"), INTEGER("Int64", "i64"), INTEGER("UInt64", "u64"),
    {"Boolean", "@array declaredType:s start:*b", "Annotations? Dimension* Alias*"},
    {"String", "@array declaredType:s", "Annotations? Dimension* Start* Alias*"},
    {"Binary", "@array declaredType:s mimeType:s maxSize:u64", "Annotations? Dimension* Start.bytes* Alias*"},
    {"Enumeration", "@array declaredType:s! quantity:s min:i64 max:i64 start:*i64", "Annotations? Dimension* Alias*"},
    {"Clock", "@variable declaredType:s @clock", "Annotations? Alias*"},
    {"Dimension", "start:u64 valueReference:u32", ""},
    {"Start", "value:s", ""},
    {"Start.bytes", "value:x", ""},
    {"Alias", "name:s! description:s", ""},
    {"Alias.float", "name:s! description:s displayUnit:s", ""},
    {"ModelStructure", "", "Output* ContinuousStateDerivative* ClockedState* InitialUnknown* EventIndicator*"},
    {"Output", "valueReference:u32!" KINDS, "Annotations?"},
    {"ContinuousStateDerivative", "valueReference:u32!" KINDS, "Annotations?"},
    {"ClockedState", "valueReference:u32!" KINDS, "Annotations?"},
    {"InitialUnknown", "valueReference:u32!" KINDS, "Annotations?"},
    {"EventIndicator", "valueReference:u32!" KINDS, "Annotations?"},
    {NULL, NULL, NULL},
};
