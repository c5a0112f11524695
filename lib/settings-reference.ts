import { contextKeys } from './deployment-context.ts';

const table = (): string =>
  [
    '| Key | Value | Without it | Example |',
    '|---|---|---|---|',
    ...Object.entries(contextKeys).map(([name, { type, withoutIt, example }]) => `| ${name} | ${type} | ${withoutIt} | \`${example}\` |`),
    '',
  ].join('\n');

/** Replaces the table of the section Settings in the text of docs/deploy.md. */
export const withSettingsTable = (guide: string): string => guide.replace(/(?<=\n## Settings\n(?:(?!## |\|).*\n)*)(?:\|.*\n)+/, () => table());
