import { Box, HelpPanel } from '@cloudscape-design/components';
import { Suspense } from 'react';
import { services, type ServiceName } from '../../contract/admin/index.ts';
import type { Method } from '../../contract/rpc/rpc.ts';
import { entriesOf } from '../../contract/values/typed-entries.ts';
import { loadedLater } from '../page/load-part.tsx';
import type { ConsolePage } from '../page/pages.ts';
import { words } from '../words/words.ts';

type MethodHelp = { readonly service: ServiceName; readonly name: string; readonly summary: string };

const methodsOf = ({ methods = {} }: ConsolePage): MethodHelp[] =>
  entriesOf(methods).flatMap(([service, names]) =>
    names.map((name) => ({ service, name, summary: (services[service].methods as { readonly [name: string]: Method })[name]!.summary })),
  );

/** The help texts of all pages, which are loaded when the help is first opened. */
const HelpText = loadedLater(async () => {
  const { helpWords } = await import('../words/help.ts');
  return ({ path }: { readonly path: string }) => helpWords[path]?.map((text) => <p key={text}>{text}</p>);
});

export const HelpContent = ({ page }: { readonly page: ConsolePage }) => {
  const methods = methodsOf(page);
  return (
    <HelpPanel header={<h2>{page.title}</h2>}>
      <Suspense>
        <HelpText path={page.path} />
      </Suspense>
      {methods.length > 0 && (
        <>
          <h3>{words.help.methods}</h3>
          <p>{words.help.methodsText}</p>
          <dl>
            {methods.map(({ service, name, summary }) => (
              <div key={name}>
                <dt>
                  <Box variant="code">{`${service} ${name}`}</Box>
                </dt>
                <dd>{summary}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </HelpPanel>
  );
};
