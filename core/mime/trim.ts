/**
 * The text without characters at its start and its end that belong to a class. The work is linear, which a regular
 * expression for the end of a text is not: it begins again at each character of the class.
 */
export const trimmed = (text: string, atStart: RegExp, atEnd = atStart): string => {
  let [start, end] = [0, text.length];
  while (start < end && atStart.test(text[start]!)) start += 1;
  while (end > start && atEnd.test(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
};
