/** An assumption that only an AWS account can prove, from docs/aws-assumptions.md. */
export type Assumption = {
  readonly text: string;
  /** What breaks if AWS behaves otherwise. */
  readonly ifWrong: string;
  /** The test that proves it: its file, and its title. */
  readonly file: string;
  readonly title: string;
};

const row = /^\| (?<text>[^|]+) \| [^|]+ \| (?<ifWrong>[^|]+) \| `(?<file>test\/integration\/[^`|]+)` › (?<title>[^|]+) \|$/gm;

/** The assumptions of the page that a test proves, in the page's order. */
export const assumptionsIn = (page: string): Assumption[] => [...page.matchAll(row)].map(({ groups }) => ({ ...groups }) as Assumption);
