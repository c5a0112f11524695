/** The strength of a requirement (RFC 2119). */
export type Level = 'MUST' | 'SHOULD';

/** One requirement of an RFC on a server, in our own words. */
export type Requirement = {
  /** The RFC's number, the section and a name, in the form that tests cite: `8620 §5.5 anchor-not-found`. */
  readonly id: string;
  readonly rfc: string;
  readonly section: string;
  readonly level: Level;
  readonly text: string;
};

/** The requirements of one section: for each name, the level and the text. */
type Section = { readonly [name: string]: readonly [level: Level, text: string] };

const inOrder = ([one]: readonly [string, Section], [other]: readonly [string, Section]): number => one.localeCompare(other, 'en', { numeric: true });

/** All requirements of an RFC, in the order of its sections. @param sections by section number. */
export const requirementsOf = (rfc: string, sections: { readonly [section: string]: Section }): readonly Requirement[] =>
  Object.entries(sections)
    .sort(inOrder)
    .flatMap(([section, requirements]) =>
      Object.entries(requirements).map(([name, [level, text]]) => ({ id: `${rfc} §${section} ${name}`, rfc, section, level, text })),
    );
