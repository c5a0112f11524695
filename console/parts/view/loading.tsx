import { Box, Container, KeyValuePairs, LiveRegion, Skeleton, SpaceBetween, StatusIndicator } from '@cloudscape-design/components';
import { useEffect, useState } from 'react';
import { words } from '../../words/words.ts';

/** Milliseconds after which a call counts as slow. */
const slowAfter = 10_000;

/** Whether something has been running for longer than usual. */
export const useIsSlow = (isRunning: boolean): boolean => {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(() => setSlow(true), slowAfter);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isRunning]);
  return isSlow;
};

/** Shows that a call takes longer than usual, while it runs. */
export const SlowNote = ({ isRunning }: { readonly isRunning: boolean }) => {
  const isSlow = useIsSlow(isRunning);
  return <LiveRegion>{isSlow && <StatusIndicator type="loading">{words.loading.slow}</StatusIndicator>}</LiveRegion>;
};

/** Grey lines instead of a part of a page that is being read. */
export const PartSkeleton = () => (
  <div aria-busy>
    <LiveRegion hidden>{words.loading.text}</LiveRegion>
    <Container header={<Skeleton width="12rem" variant="text-heading-m" />}>
      <KeyValuePairs
        columns={3}
        items={['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, label: <Skeleton key={id} width="8rem" />, value: <Skeleton key={id} width="70%" /> }))}
      />
    </Container>
    <SlowNote isRunning />
  </div>
);

/** A grey placeholder of this height, for example for a chart. @param height CSS. */
export const BlockSkeleton = ({ height }: { readonly height: string }) => (
  <div aria-busy>
    <LiveRegion hidden>{words.loading.text}</LiveRegion>
    <Skeleton height={height} />
  </div>
);

/** Grey lines instead of a page that is being read. */
export const PageSkeleton = () => (
  <SpaceBetween size="l">
    <Box padding={{ top: 'xs' }}>
      <Skeleton width="16rem" variant="text-heading-l" />
    </Box>
    <PartSkeleton />
  </SpaceBetween>
);
