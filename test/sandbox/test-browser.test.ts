import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, noBrowserError } from '../integration/chromium-program.ts';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'postrider-browser-'));
  await mkdir(join(place, 'bin'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const find = (environment: Record<string, string | undefined>) =>
  findChromium({ environment, playwrightProgram: () => join(place, 'playwright') });

describe('the browser of the sign-in tests', () => {
  test('is the one that CHROMIUM_PATH names, else one on the PATH, else Playwright’s', async () => {
    await writeFile(join(place, 'playwright'), '');
    expect(find({ PATH: join(place, 'bin') })).toBe(join(place, 'playwright'));
    await writeFile(join(place, 'bin', 'google-chrome'), '');
    expect(find({ PATH: join(place, 'bin') })).toBe(join(place, 'bin', 'google-chrome'));
    expect(find({ PATH: join(place, 'bin'), CHROMIUM_PATH: '/own/chromium' })).toBe('/own/chromium');
  });

  test('when there is none, the error names one command that helps', () => {
    expect(noBrowserError('linux').nextStep).toContain('apt-get install chromium');
    expect(noBrowserError('darwin').nextStep).toContain('brew install');
  });
});
