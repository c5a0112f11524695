import { inCell, testLinks, testsById, type AnnotatedTest } from './annotated-tests.ts';
import { allPitfalls, pitfallChapters, type Pitfall } from './pitfalls.ts';

/** The pitfalls that no test shows. */
export const openPitfalls = (annotated: readonly AnnotatedTest[]): readonly Pitfall[] => {
  const tests = testsById(annotated);
  return allPitfalls.filter(({ id }) => !tests.has(id));
};

/** The text of `docs/interoperability.md`. */
export const interoperabilityDocument = (annotated: readonly AnnotatedTest[]): string => {
  const tests = testsById(annotated);
  return [
    '# Interoperability',
    '',
    'This page lists where JMAP servers and clients have failed each other, and how Postrider behaves there, with the tests',
    'that show it. `npm run docs` writes it from the annotations of the tests. A fault that a client meets becomes a line in',
    '[`pitfalls.ts`](../test/conformance/pitfalls.ts) and a test with `// @pitfall`. [conformance.md](conformance.md) has the',
    'requirements of the RFCs.',
    '',
    ...pitfallChapters.flatMap(({ title, pitfalls }) => [
      `## ${title}`,
      '',
      '| Behaviour | Tests |',
      '|---|---|',
      ...pitfalls.map(({ id, text }) => `| ${inCell(text)} | ${testLinks(id, tests)} |`),
      '',
    ]),
  ].join('\n');
};
