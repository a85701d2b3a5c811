package dev.sprag;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads the object that {@code sprag serve --ready-file} writes: members that are strings or numbers. Members of other kinds, which
 * later versions may add, are passed over.
 */
final class ReadyFile {
  private final String text;
  private int at;

  private ReadyFile(String text) {
    this.text = text;
  }

  static Map<String, String> parse(String text) {
    return new ReadyFile(text).object();
  }

  private Map<String, String> object() {
    Map<String, String> members = new LinkedHashMap<>();
    expect('{');
    while (peek() != '}') {
      String name = string();
      expect(':');
      if (peek() == '"') {
        members.put(name, string());
      } else {
        String value = other();
        if (!value.startsWith("{") && !value.startsWith("[")) {
          members.put(name, value);
        }
      }
      if (peek() == ',') {
        at++;
      }
    }
    return members;
  }

  private String string() {
    expect('"');
    StringBuilder out = new StringBuilder();
    while (text.charAt(at) != '"') {
      char letter = text.charAt(at++);
      out.append(letter == '\\' ? escaped() : letter);
    }
    at++;
    return out.toString();
  }

  private char escaped() {
    char letter = text.charAt(at++);
    switch (letter) {
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'u':
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
      default:
        return letter;
    }
  }

  /** A value that is no string, as it is written. */
  private String other() {
    int start = at;
    int depth = 0;
    while (depth > 0 || ",}".indexOf(text.charAt(at)) < 0) {
      char letter = text.charAt(at);
      if (letter == '"') {
        string();
        continue;
      }
      depth += "{[".indexOf(letter) >= 0 ? 1 : "}]".indexOf(letter) >= 0 ? -1 : 0;
      at++;
    }
    return text.substring(start, at).strip();
  }

  private char peek() {
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return text.charAt(at);
  }

  private void expect(char letter) {
    if (peek() != letter) {
      throw new IllegalStateException("the ready file has '" + text.charAt(at) + "' in place of '" + letter + "' at " + at);
    }
    at++;
  }
}
