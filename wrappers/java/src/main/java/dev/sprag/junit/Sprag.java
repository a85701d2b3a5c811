package dev.sprag.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class a server of its own: parameters of type {@link dev.sprag.SpragServer} are that server, which stops after the
 * last test of the class.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SpragExtension.class)
public @interface Sprag {
  /** Files or folders with CustomResourceDefinitions. */
  String[] crds() default {};

  /** More flags of {@code sprag serve}. */
  String[] args() default {};
}
