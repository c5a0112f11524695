import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { useRouteError } from 'react-router';
import { Page } from '../parts/view/page-header.tsx';
import { words } from '../words/words.ts';

/** Replaces a page that can't be shown, for example because a newer version replaced its files. */
export const PageFailed = () => {
  const error = useRouteError();
  return (
    <Page title={words.pageFailed.title}>
      <Alert type="error" action={<Button onClick={() => window.location.reload()}>{words.pageFailed.action}</Button>}>
        {words.pageFailed.text}
        {error instanceof Error && <div>{error.message}</div>}
      </Alert>
    </Page>
  );
};
