import { inCell, testLinks, testsById, type AnnotatedTest, type TestsById } from './annotated-tests.ts';
import { rfc8887, rfc9404, rfc9425, rfc9610 } from './further-rfcs.ts';
import type { Requirement } from './requirement.ts';
import { rfc8620 } from './rfc-8620.ts';
import { rfc8621 } from './rfc-8621.ts';

/** The RFCs whose requirements are listed, by their titles. */
const documents: readonly (readonly [title: string, requirements: readonly Requirement[]])[] = [
  ['RFC 8620: JMAP core', rfc8620],
  ['RFC 8621: JMAP for mail', rfc8621],
  ['RFC 8887: JMAP over WebSocket', rfc8887],
  ['RFC 9404: blobs', rfc9404],
  ['RFC 9425: quotas', rfc9425],
  ['RFC 9610: contacts', rfc9610],
];

export const allRequirements: readonly Requirement[] = documents.flatMap(([, requirements]) => requirements);

/** The requirements that no test shows. */
export const openRequirements = (annotated: readonly AnnotatedTest[]): readonly Requirement[] => {
  const tests = testsById(annotated);
  return allRequirements.filter(({ id }) => !tests.has(id));
};

const row = ({ id, section, level, text }: Requirement, tests: TestsById): string => `| §${section} | ${level} | ${inCell(text)} | ${testLinks(id, tests)} |`;

const chapter = (title: string, requirements: readonly Requirement[], tests: TestsById): string =>
  [`## ${title}`, '', '| Section | Level | Requirement | Tests |', '|---|---|---|---|', ...requirements.map((requirement) => row(requirement, tests)), ''].join(
    '\n',
  );

/** The text of `docs/conformance.md`. */
export const conformanceDocument = (annotated: readonly AnnotatedTest[]): string => {
  const tests = testsById(annotated);
  const count = (level: Requirement['level']) => {
    const all = allRequirements.filter((requirement) => requirement.level === level);
    return `${all.filter(({ id }) => tests.has(id)).length} of ${all.length} with ${level}`;
  };
  return [
    '# Conformance',
    '',
    'This page lists the requirements of the JMAP RFCs on servers, in our own words, with the tests that show them.',
    '`npm run docs` writes it from the annotations of the tests.',
    '',
    `Requirements with a test: ${count('MUST')}, ${count('SHOULD')}.`,
    '',
    ...documents.map(([title, requirements]) => chapter(title, requirements, tests)),
  ].join('\n');
};
