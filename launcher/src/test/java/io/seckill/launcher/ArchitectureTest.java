package io.seckill.launcher;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.vertx.core.Deployable;
import io.vertx.core.VerticleBase;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The house rules that a compiler does not hold. Each says what to do instead. */
@AnalyzeClasses(
    packages = "io.seckill",
    importOptions = {DoNotIncludeTests.class, ArchitectureTest.ProgramOnly.class})
class ArchitectureTest {

  private static final String COMMON = "io.seckill.common..";
  private static final String LUA = "io.seckill.lua..";
  private static final String EMBEDDED = "io.seckill.embedded..";
  private static final String GATEWAY = "io.seckill.gateway..";
  private static final String ENGINE = "io.seckill.engine..";
  private static final String CONSUMER = "io.seckill.consumer..";
  private static final String LAUNCHER = "io.seckill.launcher..";

  private static final int MAX_CONSTRUCTOR_ARGUMENTS = 6;

  /** What tests share is held to the compiler's rules only. */
  static final class ProgramOnly implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/io/seckill/testkit/");
    }
  }

  @ArchTest
  static final ArchRule commonStandsBelowEverything =
      nothingIn(COMMON)
          .dependsOn(LUA, EMBEDDED, GATEWAY, ENGINE, CONSUMER, LAUNCHER)
          .because("common holds what all share; move the class to the module that needs both");

  @ArchTest
  static final ArchRule luaStandsOnCommonAlone =
      nothingIn(LUA)
          .dependsOn(EMBEDDED, GATEWAY, ENGINE, CONSUMER, LAUNCHER)
          .because("lua knows Redis and scripts, not who calls them");

  @ArchTest
  static final ArchRule embeddedStandsAlone =
      nothingIn(EMBEDDED)
          .dependsOn(COMMON, LUA, GATEWAY, ENGINE, CONSUMER, LAUNCHER)
          .because("embedded starts servers for launcher and testkit, and the image leaves it out");

  @ArchTest
  static final ArchRule gatewayKnowsNoOtherRole =
      nothingIn(GATEWAY)
          .dependsOn(ENGINE, CONSUMER, LAUNCHER, EMBEDDED, LUA)
          .because("roles speak over the bus in records of common; add a message to BusCodecs");

  @ArchTest
  static final ArchRule engineKnowsNoOtherRole =
      nothingIn(ENGINE)
          .dependsOn(GATEWAY, CONSUMER, LAUNCHER, EMBEDDED)
          .because("roles speak over the bus in records of common; add a message to BusCodecs");

  @ArchTest
  static final ArchRule consumerKnowsNoOtherRole =
      nothingIn(CONSUMER)
          .dependsOn(GATEWAY, ENGINE, LAUNCHER, EMBEDDED)
          .because("roles speak over the bus in records of common; add a message to BusCodecs");

  @ArchTest
  static final ArchRule onlyTheConsumerTouchesMySql =
      noClasses()
          .that()
          // The baselines of the bench have tables of their own.
          .resideOutsideOfPackages(CONSUMER, "io.seckill.launcher.bench..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.vertx.mysqlclient..", "io.vertx.sqlclient..", "java.sql..")
          .because("the ledger has one writer; ask it over the bus (LEDGER_… in Addresses)");

  @ArchTest
  static final ArchRule onlyTheEngineChangesStock =
      noClasses()
          .that()
          .resideInAnyPackage(CONSUMER, GATEWAY)
          .should()
          .dependOnClassesThat(
              describe(
                  "change a shard",
                  type ->
                      type.getPackageName().equals("io.seckill.lua")
                          && Set.of(
                                  "DecidePurchases",
                                  "ApplyMove",
                                  "PutItem",
                                  "ReleaseWin",
                                  "SendUnits",
                                  "TakeUnits",
                                  "JoinWaitlist",
                                  "LeaveWaitlist",
                                  "PromoteWaiters",
                                  "SwitchSales",
                                  "RemoveItem",
                                  "RestoreItem",
                                  "RestoreReceipts",
                                  "RestoreHoldings",
                                  "RestoreWaiters",
                                  "ForgetItem",
                                  "OpenShard",
                                  "FreezeShard")
                              .contains(type.getSimpleName())))
          .because("only the engine changes stock keys; send it a message");

  @ArchTest
  static final ArchRule onlyGatewayAndLauncherServeHttp =
      noClasses()
          .that(not(resideInAnyPackage(GATEWAY, LAUNCHER)))
          .should()
          .callMethodWhere(
              describe(
                  "an HTTP server is made",
                  (JavaCall<?> call) -> call.getTarget().getName().equals("createHttpServer")))
          .because(
              "buyers and operators come in through gateway, health and metrics through launcher");

  @ArchTest
  static final ArchRule onlyTheLauncherPrints =
      noClasses()
          .that()
          .resideOutsideOfPackage(LAUNCHER)
          .should()
          .accessField(System.class, "out")
          .orShould()
          .accessField(System.class, "err")
          .orShould()
          .callMethod(Throwable.class, "printStackTrace")
          .because("commands own standard output, with --json its last line; use a logger");

  /** Embedded starts processes, which give no event when they are ready: it polls, with a bound. */
  @ArchTest
  static final ArchRule nobodySleeps =
      noClasses()
          .that()
          .resideOutsideOfPackage(EMBEDDED)
          .should()
          .callMethodWhere(
              describe(
                  "a thread sleeps",
                  (JavaCall<?> call) ->
                      call.getTarget().getName().equals("sleep")
                          && Set.of("java.lang.Thread", "java.util.concurrent.TimeUnit")
                              .contains(call.getTargetOwner().getName())))
          .because(
              "a sleeping thread is a blocked event loop; use vertx.timer or await a condition");

  @ArchTest
  static final ArchRule verticlesExtendVerticleBase =
      classes()
          .that()
          .areAssignableTo(Deployable.class)
          .and()
          .areNotInterfaces()
          .should()
          .beAssignableTo(VerticleBase.class)
          .because("VerticleBase.start returns a Future, so a start that fails is noticed");

  @ArchTest
  static final ArchRule namesSayWhatAClassIs =
      classes()
          .should(haveATellingName())
          .because("Impl, Manager, Util, Helper and Abstract say nothing; name it by what it does");

  @ArchTest
  static final ArchRule staticsNeverChange =
      fields()
          .that()
          .areStatic()
          .should()
          .beFinal()
          .andShould(notHoldState())
          .because("state lives in an object of its event loop; make it in start()");

  @ArchTest
  static final ArchRule constructorsAreShort =
      classes()
          .that(describe("are no records", type -> !type.isRecord() && !type.isEnum()))
          .should(haveShortConstructors())
          .because("more than six arguments mean that a type is missing");

  @Test
  void redisKeysShouldBeSpelledInOnePlace() throws IOException {
    List<String> places = new ArrayList<>();
    for (Path file : programFiles()) {
      if (!file.endsWith("RedisKeys.java")) {
        places.addAll(linesThatSpellKeys(file));
      }
    }
    assertThat(places)
        .as("Redis keys are spelled by RedisKeys in lua alone; add a method there and call it")
        .isEmpty();
  }

  private static List<String> linesThatSpellKeys(Path file) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (MalformedInputException e) {
      return List.of(); // a picture or the like
    }
    List<String> found = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      boolean comment = line.startsWith("*") || line.startsWith("/") || line.startsWith("--");
      if (!comment && line.contains("seckill:{")) {
        found.add(file + ":" + (i + 1) + ": " + line);
      }
    }
    return found;
  }

  /** Everything below {@code src/main} of every module. */
  private static List<Path> programFiles() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("seckill-verticle"))) {
      root = root.getParent();
    }
    List<Path> files = new ArrayList<>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.toList()) {
        Path main = module.resolve("src/main");
        if (Files.isDirectory(main)) {
          try (Stream<Path> below = Files.walk(main)) {
            below.filter(Files::isRegularFile).forEach(files::add);
          }
        }
      }
    }
    assertThat(files).as("files of the program").hasSizeGreaterThan(50);
    return files;
  }

  private static Layer nothingIn(String layer) {
    return new Layer(layer);
  }

  /** Reads as a sentence: nothing in this layer depends on those. */
  private record Layer(String name) {
    ArchRule dependsOn(String... others) {
      return noClasses()
          .that()
          .resideInAPackage(name)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(others);
    }
  }

  private static ArchCondition<JavaClass> haveATellingName() {
    return new ArchCondition<>("have a telling name") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        if (type.getSimpleName().matches("Abstract.*|.*(Impl|Manager|Utils?|Helper)")) {
          events.add(SimpleConditionEvent.violated(type, type.getName()));
        }
      }
    };
  }

  private static ArchCondition<JavaField> notHoldState() {
    DescribedPredicate<JavaClass> changing =
        resideInAnyPackage("java.util.concurrent.atomic..")
            .or(
                describe(
                    "are mutable",
                    type ->
                        Set.of(
                                "java.util.concurrent.ConcurrentHashMap",
                                "java.util.HashMap",
                                "java.util.LinkedHashMap",
                                "java.util.TreeMap",
                                "java.util.EnumMap",
                                "java.util.ArrayList",
                                "java.util.HashSet",
                                "java.util.ArrayDeque",
                                "java.util.Random",
                                "java.lang.ThreadLocal",
                                "java.lang.StringBuilder",
                                "java.text.SimpleDateFormat")
                            .contains(type.getName())));
    return new ArchCondition<>("hold nothing that changes") {
      @Override
      public void check(JavaField field, ConditionEvents events) {
        if (changing.test(field.getRawType())) {
          events.add(SimpleConditionEvent.violated(field, field.getDescription()));
        }
      }
    };
  }

  private static ArchCondition<JavaClass> haveShortConstructors() {
    return new ArchCondition<>("have at most six constructor arguments") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        for (JavaConstructor constructor : type.getConstructors()) {
          // javac passes captured variables to anonymous classes as arguments.
          if (constructor.getRawParameterTypes().size() > MAX_CONSTRUCTOR_ARGUMENTS
              && !type.isAnonymousClass()
              && !type.isLocalClass()) {
            events.add(SimpleConditionEvent.violated(type, constructor.getDescription()));
          }
        }
      }
    };
  }
}
