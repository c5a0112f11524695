import { annotatedTests } from '../conformance/annotated-tests.ts';
import { allRequirements, conformanceDocument, openRequirements } from '../conformance/conformance-document.ts';
import { interoperabilityDocument, openPitfalls } from '../conformance/interoperability-document.ts';
import { allPitfalls } from '../conformance/pitfalls.ts';
import { root, textOf } from './sources.ts';

const annotated = annotatedTests(root);

describe('docs/conformance.md', () => {
  test('is made from the annotations of the tests (when this fails: npm run docs)', () => {
    expect(textOf('docs/conformance.md') === conformanceDocument(annotated)).toBe(true);
  });

  test('has a test for every requirement with MUST', () => {
    expect(
      openRequirements(annotated)
        .filter(({ level }) => level === 'MUST')
        .map(({ id }) => id),
    ).toEqual([]);
  });
});

describe('docs/interoperability.md', () => {
  test('is made from the annotations of the tests (when this fails: npm run docs)', () => {
    expect(textOf('docs/interoperability.md') === interoperabilityDocument(annotated)).toBe(true);
  });

  test('has a test for every pitfall', () => {
    expect(openPitfalls(annotated).map(({ id }) => id)).toEqual([]);
  });
});

test('no two requirements or pitfalls have the same name, and every annotation names one of them', () => {
  const ids = new Set([...allRequirements, ...allPitfalls].map(({ id }) => id));
  expect(ids.size).toBe(allRequirements.length + allPitfalls.length);
  expect(annotated.flatMap(({ file, ids: named }) => named.filter((id) => !ids.has(id)).map((id) => `${file}: ${id}`))).toEqual([]);
});
