import { fsyncSync, readFileSync, writeFileSync } from 'node:fs';
import { sessionPath } from '../../../contract/jmap/discovery.ts';
import { firstSignInSteps, temporaryPasswordValidity } from '../../../contract/oauth/first-sign-in.ts';
import { escapeHtml } from '../../../contract/values/escape-html.ts';
import { codeOf } from '../../../contract/values/thrown.ts';
import { CliError } from '../../terminal/cli-error.ts';
import { assertReplaceable, makePrivateFile } from '../../terminal/private-file.ts';

/** A sheet of temporary passwords to print: an HTML file with a page for each person. */
export type InvitationSheet = {
  /** Whether the sheet has a page of the person with this sign-in address. */
  has(email: string): boolean;
  /** Makes the file, with the pages that it has. Only its owner may read it. */
  create(): void;
  /** Adds a page. It is in the file when the call returns. */
  add(person: { readonly name: string; readonly email: string; readonly password: string }): void;
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

const textOf = (path: string): string | undefined => {
  assertReplaceable(path);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    throw new CliError(`${path} cannot be read: ${code}`);
  }
};

/**
 * Opens a sheet, whether the file exists or not. @param jmapUrl the base URL of JMAP.
 * @throws CliError for a link, and for a file that cannot be read.
 */
export const openSheet = (path: string, jmapUrl: string): InvitationSheet => {
  const before = textOf(path);
  let file: number | undefined;
  const pages = new Set((before ?? '').match(/<section data-sign-in="[^"]*">/g));
  return {
    has: (email) => pages.has(marker(email)),
    create() {
      // Others may read an existing file, or have it open. They get no new password.
      file = makePrivateFile(path, before ?? header);
    },
    add({ name, email, password }) {
      const rows = [
        ['Server for mail programs', `${jmapUrl}${sessionPath}`],
        ['Sign-in address', email],
        ['Temporary password', password],
      ];
      if (file === undefined) throw new Error('the sheet was not created');
      writeFileSync(
        file,
        [
          marker(email),
          `<h1>${escapeHtml(name)}</h1>`,
          '<dl>',
          ...rows.map(([label, value]) => `<dt>${label}</dt><dd>${escapeHtml(value!)}</dd>`),
          '</dl>',
          '<ol>',
          ...firstSignInSteps(undefined).map((step) => `<li>${escapeHtml(step)}</li>`),
          '</ol>',
          `<p>${escapeHtml(temporaryPasswordValidity)}</p>`,
          '</section>',
          '',
        ].join('\n'),
      );
      fsyncSync(file);
      pages.add(marker(email));
    },
  };
};
