/** A URI template of level 1 (RFC 6570), as JMAP's URLs are, with the values of its variables. */
export const expanded = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w{1,40})\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
