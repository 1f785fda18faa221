//! Published distributions of flow sizes, by name.
//!
//! The plain name is the reading that most simulators of today share or, for Facebook's, the one that covers all flows of
//! the published plot; other readings of the same measurement have a longer name. They differ: see each mean.

use super::cdf::{Cdf, Interpolation};
use super::tables;
use crate::prose;

/// A published distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// Its name in experiment files.
    pub name: &'static str,
    /// What was measured, in a sentence.
    pub summary: &'static str,
    /// Who measured it, and the repository and path of the points.
    pub source: &'static str,
    /// How its users read between the points.
    pub interpolation: Interpolation,
    /// Sizes in bytes and the fractions of flows that are no larger.
    pub points: &'static [(u64, f64)],
}

/// No distribution has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are no published flow sizes `{name}`{}; there are {}", prose::did_you_mean(*.nearest), names())]
pub struct UnknownSizes {
    /// What was asked for.
    pub name: String,
    /// The nearest name there is.
    pub nearest: Option<&'static str>,
}

/// All of them.
pub const PUBLISHED: &[Published] = &[
    Published {
        name: "web-search",
        summary: "A web search cluster: half the flows are below 80 KB, nearly all bytes in flows above 1 MB",
        source: "Alizadeh et al., DCTCP, SIGCOMM 2010, Fig. 4; points of alibaba-edu/High-Precision-Congestion-Control \
                 traffic_gen/WebSearch_distribution.txt, equal to HKUST-SING/TrafficGenerator conf/DCTCP_CDF.txt",
        interpolation: Interpolation::Linear,
        points: tables::WEB_SEARCH,
    },
    Published {
        name: "web-search-opera",
        summary: "The web search cluster as Opera's authors read it",
        source: "Alizadeh et al., DCTCP, SIGCOMM 2010; points of TritonNetworking/opera-sim Figure1_traffic/websearch.csv",
        interpolation: Interpolation::Linear,
        points: tables::WEB_SEARCH_OPERA,
    },
    Published {
        name: "data-mining",
        summary: "A cluster that mines data: four flows in five are below 10 KB, nearly all bytes in flows above 100 MB",
        source: "Greenberg et al., VL2, SIGCOMM 2009, Fig. 2; points of HKUST-SING/TrafficGenerator conf/VL2_CDF.txt",
        interpolation: Interpolation::Linear,
        points: tables::DATA_MINING,
    },
    Published {
        name: "data-mining-opera",
        summary: "The cluster that mines data as Opera's authors read it",
        source: "Greenberg et al., VL2, SIGCOMM 2009; points of TritonNetworking/opera-sim Figure1_traffic/datamining.csv",
        interpolation: Interpolation::Linear,
        points: tables::DATA_MINING_OPERA,
    },
    Published {
        name: "facebook-web",
        summary: "Facebook's web servers, flows to everywhere",
        source: "Roy et al., Inside the Social Network's (Datacenter) Network, SIGCOMM 2015, Fig. 6a; points of \
                 uw-polestar/parsimon-eval workload/distributions/facebook/webserver-all.txt",
        interpolation: Interpolation::Linear,
        points: tables::FACEBOOK_WEB,
    },
    Published {
        name: "facebook-web-homa",
        summary: "Facebook's web servers, flows within the cluster, as Homa's authors read them",
        source: "Roy et al., SIGCOMM 2015; points of PlatformLab/HomaSimulation \
                 sizeDistributions/Facebook_WebServerDist_IntraCluster.txt",
        interpolation: Interpolation::Step,
        points: tables::FACEBOOK_WEB_HOMA,
    },
    Published {
        name: "facebook-cache",
        summary: "Facebook's cache followers, flows to everywhere",
        source: "Roy et al., SIGCOMM 2015, Fig. 6b; points of \
                 uw-polestar/parsimon-eval workload/distributions/facebook/cachefollower-all.txt",
        interpolation: Interpolation::Linear,
        points: tables::FACEBOOK_CACHE,
    },
    Published {
        name: "facebook-cache-homa",
        summary: "Facebook's cache followers, flows within the cluster, as Homa's authors read them",
        source: "Roy et al., SIGCOMM 2015; points of PlatformLab/HomaSimulation \
                 sizeDistributions/Facebook_CacheFollowerDist_IntraCluster.txt",
        interpolation: Interpolation::Step,
        points: tables::FACEBOOK_CACHE_HOMA,
    },
    Published {
        name: "facebook-hadoop",
        summary: "Facebook's Hadoop nodes, flows to everywhere",
        source: "Roy et al., SIGCOMM 2015, Fig. 6c; points of \
                 uw-polestar/parsimon-eval workload/distributions/facebook/hadoop-all.txt",
        interpolation: Interpolation::Linear,
        points: tables::FACEBOOK_HADOOP,
    },
    Published {
        name: "facebook-hadoop-hpcc",
        summary: "Facebook's Hadoop nodes as HPCC's authors read them",
        source: "Roy et al., SIGCOMM 2015; points of alibaba-edu/High-Precision-Congestion-Control \
                 traffic_gen/FbHdp_distribution.txt",
        interpolation: Interpolation::Linear,
        points: tables::FACEBOOK_HADOOP_HPCC,
    },
    Published {
        name: "facebook-hadoop-homa",
        summary: "Facebook's Hadoop nodes as Homa's authors read them",
        source: "Roy et al., SIGCOMM 2015; points of PlatformLab/HomaSimulation \
                 sizeDistributions/Facebook_HadoopDist_All.txt",
        interpolation: Interpolation::Step,
        points: tables::FACEBOOK_HADOOP_HOMA,
    },
    Published {
        name: "facebook-hadoop-opera",
        summary: "Facebook's Hadoop nodes, flows between racks, as Opera's authors read them",
        source: "Roy et al., SIGCOMM 2015; points of TritonNetworking/opera-sim \
                 Figure1_traffic/FB_Hadoop_Inter_Rack_FlowCDF.csv",
        interpolation: Interpolation::Linear,
        points: tables::FACEBOOK_HADOOP_OPERA,
    },
    Published {
        name: "facebook-memcached",
        summary: "Values in Facebook's key-value stores: nine in ten are below 350 B",
        source: "Points of HKUST-SING/TrafficGenerator conf/FB_CDF.txt",
        interpolation: Interpolation::Linear,
        points: tables::FACEBOOK_MEMCACHED,
    },
    Published {
        name: "google-rpc",
        summary: "All remote procedure calls of a Google data centre, 2008: four in five are below 600 B",
        // Thinned from 843 rows to 93: every row up to 512 B, then the row nearest to each quarter of an octave, and the
        // last. Its mean is 0.43% above that of all rows, and nowhere is the fraction off by more than 0.001.
        source: "Montazeri et al., Homa, SIGCOMM 2018; points of alibaba-edu/High-Precision-Congestion-Control \
                 traffic_gen/GoogleRPC2008.txt, 93 of its 843 rows",
        interpolation: Interpolation::Linear,
        points: tables::GOOGLE_RPC,
    },
    Published {
        name: "alibaba-storage",
        summary: "A storage service of Alibaba, 2019: seven flows in ten are below 8 KB",
        source: "Points of alibaba-edu/High-Precision-Congestion-Control traffic_gen/AliStorage2019.txt",
        interpolation: Interpolation::Linear,
        points: tables::ALIBABA_STORAGE,
    },
    Published {
        name: "imc10",
        summary: "Ten data centres, 2010, as YAPS reads them: half the flows are one packet, a twentieth of them carry three \
                  fifths of all bytes",
        source: "Benson, Akella and Maltz, Network Traffic Characteristics of Data Centers in the Wild, IMC 2010; points of \
                 NetSys/simulator py/CDF_aditya.txt, in packets of 1460 B",
        interpolation: Interpolation::LinearPackets,
        points: tables::IMC10,
    },
    Published {
        name: "xfabric-production",
        summary: "A production cluster of a mid-sized enterprise: half the flows are below 365 KB, the mean is 9.3 MB",
        source: "Legtchenko et al., XFabric, NSDI 2016, §6.5: median, mean, and mean below the median; the points are \
                 made up to agree with these",
        interpolation: Interpolation::Linear,
        points: tables::XFABRIC_PRODUCTION,
    },
    Published {
        name: "xfabric-production-mice",
        summary: "The flows of the production cluster that are below its median: 129 KB on average",
        source: "Legtchenko et al., XFabric, NSDI 2016, §6.5; the points are made up to agree with it",
        interpolation: Interpolation::Linear,
        points: tables::XFABRIC_PRODUCTION_MICE,
    },
];

fn names() -> String {
    PUBLISHED.iter().map(|known| known.name).collect::<Vec<_>>().join(", ")
}

/// The distribution of this name.
///
/// # Errors
/// There is none; the nearest name is given.
pub fn published(name: &str) -> Result<&'static Published, UnknownSizes> {
    PUBLISHED.iter().find(|known| known.name == name).ok_or_else(|| UnknownSizes {
        name: name.to_owned(),
        nearest: settings::nearest(name, PUBLISHED.iter().map(|known| known.name)),
    })
}

impl Published {
    /// To draw from, read as its users do or in another way.
    ///
    /// # Panics
    /// Never: the points of every published distribution are tested.
    pub fn cdf(&self, interpolation: Option<Interpolation>) -> Cdf {
        Cdf::new(self.name, self.points.to_vec(), interpolation.unwrap_or(self.interpolation))
            .expect("published points rise to 1")
    }
}
