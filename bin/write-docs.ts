import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../contract/reference/openapi.ts';
import { adminApiReference } from '../contract/reference/reference.ts';
import { withSettingsTable } from '../lib/settings-reference.ts';

/**
 * `npm run docs`: generates the reference of the admin API from the contract, for people and as OpenAPI, and the table
 * of settings in docs/deploy.md. `test/contract/reference/reference.test.ts` and `test/lib/settings-reference.test.ts` fail
 * while the files are out of date.
 */
const root = join(import.meta.dirname, '..');
const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

writeFileSync(join(root, 'docs', 'admin-api.md'), adminApiReference());
const openApi = openApiDocument({ url: 'https://api.example.com', version });
writeFileSync(join(root, 'docs', 'openapi.json'), `${JSON.stringify(openApi, null, 2)}\n`);

const guide = join(root, 'docs', 'deploy.md');
writeFileSync(guide, withSettingsTable(readFileSync(guide, 'utf8')));
