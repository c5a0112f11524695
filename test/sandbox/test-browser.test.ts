import { mkdir, writeFile } from 'node:fs/promises';
import { findChromium, noBrowserError } from '../integration/chromium-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const place = temporaryDirectory();
beforeEach(() => mkdir(place('bin')));

const find = (environment: Record<string, string | undefined>) => findChromium({ environment, playwrightProgram: () => place('playwright') });

describe('the browser of the sign-in tests', () => {
  test('is the one that CHROMIUM_PATH names, else one on the PATH, else Playwright’s', async () => {
    await writeFile(place('playwright'), '');
    expect(find({ PATH: place('bin') })).toBe(place('playwright'));
    await writeFile(place('bin', 'google-chrome'), '');
    expect(find({ PATH: place('bin') })).toBe(place('bin', 'google-chrome'));
    expect(find({ PATH: place('bin'), CHROMIUM_PATH: '/own/chromium' })).toBe('/own/chromium');
  });

  test('when there is none, the error names one command that helps', () => {
    expect(noBrowserError('linux').nextStep).toContain('apt-get install chromium');
    expect(noBrowserError('darwin').nextStep).toContain('brew install');
  });
});
