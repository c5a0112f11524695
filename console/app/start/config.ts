import { consoleConfigPath, ConsoleConfig } from '../../../contract/deployment/console.ts';

/** Reads where the deployment is. @throws Error when the document can't be read. */
export const readConfig = async (): Promise<ConsoleConfig> => {
  const response = await fetch(consoleConfigPath, { cache: 'no-store' });
  if (!response.ok) throw new Error(`the settings of the console could not be read: status ${response.status}`);
  return ConsoleConfig.parse(await response.json());
};
