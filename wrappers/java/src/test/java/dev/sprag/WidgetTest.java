package dev.sprag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sprag.junit.Sprag;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

@Sprag(crds = "src/test/resources/crds")
class WidgetTest {
  private static final String WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";

  @Test
  void aWidgetIsStored(SpragServer server) {
    assertEquals(201, server.request("POST", WIDGETS, widget(3)).statusCode());
    String stored = server.request("GET", WIDGETS + "/a", null).body();
    assertTrue(stored.contains("\"size\":3"), stored);
  }

  @Test
  void aWidgetThatIsTooLargeIsRefused(SpragServer server) {
    HttpResponse<String> refused = server.request("POST", WIDGETS, widget(11));
    assertEquals(422, refused.statusCode());
    assertTrue(refused.body().contains("should be less than or equal to 10"), refused.body());
  }

  private static String widget(int size) {
    return "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":" + size + "}}";
  }
}
