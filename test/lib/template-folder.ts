import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const variable = 'POSTRIDER_TEST_TEMPLATES';

/** The folder of the templates that a run of jest has synthesized. It is new for each run, so that no template is stale. */
export const templateFolder = (): string => {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error('the project of this test has no global set-up in jest.config.mjs');
  return folder;
};

/** Jest's global set-up of the projects whose tests read templates. The CDK writes its own folders there too. */
const createTemplateFolder = (): void => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-templates-'));
  process.env[variable] = folder;
  process.env['TMPDIR'] = folder;
  // `synth.test.ts` synthesizes with the CDK's rules for templates; each synthesis here would check them again.
  process.env['CDK_VALIDATION'] = 'false';
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
};

export default createTemplateFolder;
