package dev.sprag.junit;

import dev.sprag.SpragServer;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Starts a server when a test class first asks for one, and stops it after the last test of the class. */
public final class SpragExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(SpragExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == SpragServer.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> test = context.getRequiredTestClass();
    return classContext(context)
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(test, key -> new Closing(start(test)), Closing.class)
        .server;
  }

  private static SpragServer start(Class<?> test) {
    SpragServer.Builder builder = SpragServer.builder();
    AnnotationSupport.findAnnotation(test, Sprag.class)
        .ifPresent(
            sprag -> {
              for (String path : sprag.crds()) {
                builder.crds(Path.of(path));
              }
              builder.args(sprag.args());
            });
    return builder.start();
  }

  /** The context of the test class: what is stored there outlives the methods. */
  private static ExtensionContext classContext(ExtensionContext context) {
    ExtensionContext at = context;
    while (at.getTestMethod().isPresent()) {
      at = at.getParent().orElseThrow();
    }
    return at;
  }

  /** Closed by JUnit with the context that it is stored in. Releases before 5.13 know nothing else that is. */
  @SuppressWarnings("deprecation")
  private static final class Closing implements ExtensionContext.Store.CloseableResource {
    private final SpragServer server;

    Closing(SpragServer server) {
      this.server = server;
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
