import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { annotatedTests } from './annotated-tests.ts';
import { conformanceDocument } from './conformance-document.ts';
import { interoperabilityDocument } from './interoperability-document.ts';
import { problemsDocument } from './problems-document.ts';

/** A part of `npm run docs`: writes docs/conformance.md, docs/interoperability.md and docs/problems.md. */
const root = join(import.meta.dirname, '..', '..');
const annotated = annotatedTests(root);
writeFileSync(join(root, 'docs', 'conformance.md'), conformanceDocument(annotated));
writeFileSync(join(root, 'docs', 'interoperability.md'), interoperabilityDocument(annotated));
writeFileSync(join(root, 'docs', 'problems.md'), problemsDocument());
