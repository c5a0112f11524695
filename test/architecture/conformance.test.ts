import { annotatedTests } from '../conformance/annotated-tests.ts';
import { allRequirements, conformanceDocument, openRequirements } from '../conformance/conformance-document.ts';
import { root, textOf } from './sources.ts';

describe('docs/conformance.md', () => {
  const annotated = annotatedTests(root);

  test('is made from the annotations of the tests (when this fails: npm run docs)', () => {
    expect(textOf('docs/conformance.md') === conformanceDocument(annotated)).toBe(true);
  });

  test('has a test for every requirement with MUST', () => {
    expect(openRequirements(annotated).filter(({ level }) => level === 'MUST').map(({ id }) => id)).toEqual([]);
  });

  test('has no two requirements of one name, and no annotation without a requirement', () => {
    const ids = new Set(allRequirements.map(({ id }) => id));
    expect(ids.size).toBe(allRequirements.length);
    expect(annotated.flatMap(({ file, requirements }) => requirements.filter((id) => !ids.has(id)).map((id) => `${file}: ${id}`))).toEqual([]);
  });
});
