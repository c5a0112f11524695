import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { methodDescriptions } from '../../../contract/reference/description.ts';
import { openApiDocument } from '../../../contract/reference/openapi.ts';
import { adminApiReference } from '../../../contract/reference/reference.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');

describe('the reference of the admin API in docs/ (when this fails: npm run docs)', () => {
  test('admin-api.md is made from this contract', () => {
    expect(read('docs', 'admin-api.md') === adminApiReference()).toBe(true);
  });

  test('openapi.json is made from this contract', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const expected = JSON.stringify(openApiDocument({ url: 'https://api.example.com', version }));
    expect(JSON.stringify(JSON.parse(read('docs', 'openapi.json'))) === expected).toBe(true);
  });
});

describe('the reference page', () => {
  const page = adminApiReference();

  test('lists every method with its path, its fields, and a heading for each link', () => {
    for (const { service, name, request } of methodDescriptions()) {
      expect(page).toContain(`\`POST /${service}/${name}\``);
      for (const field of request) expect(page).toContain(`| \`${field.name}\` |`);
    }
    const headings = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.toLowerCase()));
    const lost = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!).filter((anchor) => !headings.has(anchor));
    expect(lost).toEqual([]);
  });

  test('has as many columns in every row of a table as in its header', () => {
    for (const row of page.split('\n').filter((line) => line.startsWith('| '))) {
      expect([2, 3]).toContain(row.replaceAll('\\|', '').split('|').length - 2);
    }
  });
});
