import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contextKeys } from '../../lib/deployment-context.ts';
import { withSettingsTable } from '../../lib/settings-reference.ts';

const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'deploy.md'), 'utf8');

test('docs/deploy.md lists the settings that the app reads (when this fails: npm run docs)', () => {
  expect(withSettingsTable(guide) === guide).toBe(true);
});

test('the table of settings is replaced, and nothing else', () => {
  const settings = '## Settings\n\nPass each.\n\n| Key |\n|---|\n| gone |\n\nText.\n\n';
  const replaced = withSettingsTable(`# Guide\n\n| a |\n|---|\n\n${settings}## Outputs\n\n| b |\n|---|\n`);
  expect(replaced).not.toContain('gone');
  for (const name of Object.keys(contextKeys)) expect(replaced).toContain(`\n| ${name} | `);
  expect(replaced.split('| Key |')[0]).toBe('# Guide\n\n| a |\n|---|\n\n## Settings\n\nPass each.\n\n');
  expect(replaced.slice(replaced.indexOf('\n\nText.'))).toBe('\n\nText.\n\n## Outputs\n\n| b |\n|---|\n');
});
