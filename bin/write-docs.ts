import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../contract/openapi.ts';
import { adminApiReference } from '../contract/reference.ts';

/** `npm run docs`: writes what `docs/` says about the admin API anew from the contract. A test fails while that is not what stands there. */
const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

writeFileSync(join(root, 'docs', 'admin-api.md'), adminApiReference());
writeFileSync(join(root, 'docs', 'openapi.json'), `${JSON.stringify(openApiDocument({ url: 'https://api.example.com', version }), null, 2)}\n`);
