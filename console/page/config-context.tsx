import { createContext, useContext, type ReactNode } from 'react';
import type { ConsoleConfig } from '../../contract/deployment/console.ts';
import { sessionPath } from '../../contract/jmap/discovery.ts';

const ConfigContext = createContext<ConsoleConfig | undefined>(undefined);

export const ConfigProvider = ({ config, children }: { readonly config: ConsoleConfig; readonly children: ReactNode }) => (
  <ConfigContext value={config}>{children}</ConfigContext>
);

/** The addresses of the deployment. */
export const useConfig = (): ConsoleConfig => {
  const config = useContext(ConfigContext);
  if (!config) throw new Error('there is no ConfigProvider');
  return config;
};

/** The URL of the JMAP session, the only setting that a mail client needs. */
export const useSessionUrl = (): string => `${useConfig().jmapUrl}${sessionPath}`;
