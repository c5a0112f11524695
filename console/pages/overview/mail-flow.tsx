import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import { PageLink } from '../../parts/text/link.tsx';
import type { MailState } from './mail-state.ts';

/** One line that says whether mail flows, with the problems and a link to the page for each. */
export const MailFlow = ({ state: { look, headline, waiting, problems } }: { readonly state: MailState }) => (
  <Alert type={look} header={`${headline} ${waiting}`}>
    {problems.map(({ text, link }) => <Box key={text} color="inherit">{text} <PageLink to={link.to}>{link.text}</PageLink></Box>)}
  </Alert>
);
