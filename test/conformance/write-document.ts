import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { annotatedTests } from './annotated-tests.ts';
import { conformanceDocument } from './conformance-document.ts';

/** A part of `npm run docs`: writes docs/conformance.md. */
const root = join(import.meta.dirname, '..', '..');
writeFileSync(join(root, 'docs', 'conformance.md'), conformanceDocument(annotatedTests(root)));
