import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { useHelp, useTitle } from '../../page/page-frame.tsx';
import { words } from '../../words/words.ts';

/** Opens the help of the page. */
export const HelpLink = () => {
  const openHelp = useHelp();
  return openHelp && <Link variant="info" onFollow={openHelp}>{words.help.info}</Link>;
};

export type PageProps = {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A page: its header with actions, then its parts below each other. */
export const Page = ({ title, description, actions, children }: PageProps) => {
  useTitle(title);
  return (
    <SpaceBetween size="l">
      <Header
        variant="h1" info={<HelpLink />} description={description} actions={actions && <SpaceBetween direction="horizontal" size="xs">{actions}</SpaceBetween>}
      >
        <bdi>{title}</bdi>
      </Header>
      {children}
    </SpaceBetween>
  );
};
