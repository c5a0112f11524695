/**
 * A path in the form in which no two paths are the same file on any file system: those that ignore case, normalise
 * Unicode, or leave out characters without a width.
 */
export const foldedPath = (path: string): string =>
  path.normalize('NFKD').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').toLowerCase().toUpperCase().normalize('NFKD');
