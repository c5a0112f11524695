import type { Suppression } from '../../../../contract/admin/suppression.ts';
import { suppressionFixture } from './suppression-fixture.ts';

test('ListSuppressions lists the newest record first; new bounces do not change the following pages', async () => {
  const { api, advanceClock, bounce } = await suppressionFixture();
  for (const index of [0, 1, 2, 3, 4, 5, 6]) {
    advanceClock(1);
    await bounce(`r${index}@elsewhere.test`);
  }
  const seen: string[] = [];
  for (let token = ''; ;) {
    const page = await api.ok('/suppression/ListSuppressions', { page_size: 3, ...(token && { page_token: token }) });
    seen.push(...(page['suppressions'] as Suppression[]).map(({ recipient }) => recipient));
    advanceClock(1);
    await bounce('r0@elsewhere.test');
    await bounce(`new${seen.length}@elsewhere.test`);
    token = page['next_page_token'] as string;
    if (!token) break;
  }
  expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `r${index}@elsewhere.test`));
});
