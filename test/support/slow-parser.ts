/** The text on which the fault begins. */
export const slowText = 'Slöw';

/** A fault: while a test runs, Unicode normalization of a text with {@link slowText}, which the parser does, never ends. */
export const slowParser = (): void => {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the text
  const { normalize } = String.prototype;
  const isSlow = (text: string): boolean => text.includes(slowText);
  beforeEach(() => {
    // oxlint-disable-next-line no-extend-native -- the fault is in it
    String.prototype.normalize = function normalizeSlowly(this: string, form?: string): string {
      while (isSlow(this));
      return normalize.call(this, form);
    };
  });
  afterEach(() => {
    // oxlint-disable-next-line no-extend-native -- it is put back
    String.prototype.normalize = normalize;
  });
};
