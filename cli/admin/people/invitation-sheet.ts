import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { firstSignInSteps, temporaryPasswordValidity } from '../../../contract/oauth/first-sign-in.ts';
import { sessionPath } from '../../../contract/jmap/discovery.ts';
import { escapeHtml } from '../../../contract/values/escape-html.ts';

/** A sheet of temporary passwords to print: an HTML file with a page for each person. */
export type InvitationSheet = {
  /** Whether the sheet has a page of the person with this sign-in address. */
  has(email: string): boolean;
  /** Makes the file if there is none. Only its owner may read it. */
  create(): Promise<void>;
  /** Adds a page. It is in the file when the promise resolves. */
  add(person: { readonly name: string; readonly email: string; readonly password: string }): Promise<void>;
};

const header = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Invitations</title>
<style>
body { font: 12pt/1.5 sans-serif; margin: 2cm }
section { break-after: page }
dt { font-weight: bold }
dd { font: 14pt monospace; margin: 0 0 0.5em }
</style>
`;

const marker = (email: string): string => `<section data-sign-in="${escapeHtml(email)}">`;

/** Opens a sheet, whether the file exists or not. @param jmapUrl the base URL of JMAP. */
export const openSheet = async (path: string, jmapUrl: string): Promise<InvitationSheet> => {
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const pages = new Set((before ?? '').match(/<section data-sign-in="[^"]*">/g));
  return {
    has: (email) => pages.has(marker(email)),
    async create() {
      if (before === undefined) await writeFile(path, header, { mode: 0o600 });
    },
    async add({ name, email, password }) {
      const rows = [['Server for mail programs', `${jmapUrl}${sessionPath}`], ['Sign-in address', email], ['Temporary password', password]];
      await appendFile(path, [
        marker(email), `<h1>${escapeHtml(name)}</h1>`,
        '<dl>', ...rows.map(([label, value]) => `<dt>${label}</dt><dd>${escapeHtml(value!)}</dd>`), '</dl>',
        '<ol>', ...firstSignInSteps(undefined).map((step) => `<li>${escapeHtml(step)}</li>`), '</ol>',
        `<p>${escapeHtml(temporaryPasswordValidity)}</p>`, '</section>', '',
      ].join('\n'), { flush: true });
      pages.add(marker(email));
    },
  };
};
